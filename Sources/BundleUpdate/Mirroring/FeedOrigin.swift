import BundleModel
import BundleStore
import BundleTrust
import Foundation
import HTTPCore
import Synchronization

/// Where a feed is published, for those who copy it: on a server, or in a folder. What is signed is verified as a device does it. A value
/// type; safe to share between threads.
package struct FeedOrigin: Sendable {
    /// By what a signed feed has to be trusted.
    package enum Anchor: Sendable {
        /// The roots from the first on, which its publisher has.
        case roots([[UInt8]])
        /// SHA-256 of the first root.
        case digest(Digest)
        /// The root that is there, in a feed that says that it is signed.
        case firstUse

        /// Whether nobody has given a root.
        package var isFirstUse: Bool { if case .firstUse = self { true } else { false } }
    }

    /// The feed's URL.
    package let url: URL
    private let document: OriginDocument

    /// - Parameters:
    ///   - url: The feed's URL, which an operator names; also of a place that isn't on a web server.
    ///   - transport: The network.
    ///   - configuration: How it is used.
    /// - Throws: As ``OperatorPlaces/reader(of:over:userAgent:)``.
    package init(_ url: URL, over transport: any OriginTransport, _ configuration: Updater.Configuration) throws {
        self.url = url
        document = try OriginDocument(
            transport: transport,
            userAgent: configuration.userAgent,
            credentials: configuration.credentials,
            limits: configuration.transfers
        )
        .reading(placeOf: url, by: configuration.places ?? .folders)
    }

    /// Reads the feed, and what its publisher has signed.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as ``OriginDocument/document(at:conditions:limit:)`` does; with code `invalidFeed` when the
    ///   feed is wrong, or isn't signed as it must be, with `TrustError` as the cause; `invalidArgument` when there is no feed.
    package func read(_ anchor: Anchor, at now: Date) async throws -> PublishedFeed {
        if anchor.isFirstUse {
            let (bytes, location) = try await document.bytes(of: url, limit: Feed.maximumByteCount) { prefix, url in
                try FeedRecognition.requireBeginning(prefix, at: url)
            }
            let feed = try Feed.parse(bytes, baseURL: location)
            guard feed.isSigned else {
                return PublishedFeed(location: location, bytes: bytes, feed: feed, signatures: nil)
            }
        }
        do {
            return try await VerifiedFeed.retrying { try await readSigned(anchor, at: now) }
        } catch let error as TrustError {
            throw BundleError(
                .invalidFeed,
                "\(url.reported) isn't trusted: \(error); nothing was copied",
                cause: error
            )
        }
    }

    /// Fetches a file that the feed names, going on where an earlier attempt has stopped.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - path: Where it is saved; what was received stays there after a failure of the connection.
    ///   - progress: Called with the bytes of the file that are there.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when it can't be fetched, `invalidFeed` when it isn't the one
    ///   that the feed names, `storeUnavailable` when it can't be written.
    package func download(
        _ file: FeedFile<URL>,
        to path: String,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws {
        let download = try DownloadFile(path)
        let fetch = file.fetch(by: document, counting: ByteCounter(), progress: progress)
        do {
            let received = try await document.fetching(file.location) { try await fetch.run(into: download) }
            guard received == file.digest else {
                throw file.refusal("has SHA-256 \(received), not \(file.digest)")
            }
            try download.setValidator(nil)
        } catch let error as BundleError where error.code == .invalidFeed {
            // Anything but the file isn't worth resuming.
            try? download.remove()
            throw error
        }
    }

    private func readSigned(_ anchor: Anchor, at now: Date) async throws -> PublishedFeed {
        let repository = RecordedMetadata(FeedMetadata(feed: url, document: document))
        let (known, keeper) = try await begin(anchor, repository)
        let verified = try await VerifiedFeed(at: url, document, repository, keeper, at: now)
        guard let targets = try keeper.document(of: .targets), let timestamp = try keeper.document(of: .timestamp)
        else { throw TrustError(.missing, VerifiedFeed.path, "isn't among what the publisher has signed") }
        return PublishedFeed(
            location: verified.location,
            bytes: verified.bytes,
            feed: try Feed.parse(verified.bytes, baseURL: verified.location),
            signatures: PublishedFeed.Signatures(
                roots: known + repository.documents(of: .root).map(\.bytes),
                documents: repository.documents(of: .targets, .snapshot) + repository.delegatedDocuments,
                timestamp: timestamp,
                targets: targets,
                state: verified.state
            )
        )
    }

    /// - Returns: The roots that are known, and what keeps the documents, with the latest of them.
    private func begin(
        _ anchor: Anchor,
        _ repository: RecordedMetadata
    ) async throws -> (known: [[UInt8]], keeper: FirstUseKeeper) {
        if case .roots(let roots) = anchor, let latest = roots.last {
            return (roots, try FirstUseKeeper(root: latest, digest: nil))
        }
        let digest: Digest? = if case .digest(let digest) = anchor { digest } else { nil }
        // It is recorded with those that follow.
        return ([], try await FirstUseKeeper(firstIn: repository, digest: digest))
    }
}

/// Remembers the documents that a workflow has received, each of which it has verified when it ends. Thread-safe.
private final class RecordedMetadata: MetadataRepository {
    private let repository: FeedMetadata
    private let received = Mutex<[(request: MetadataRequest, bytes: [UInt8])]>([])

    init(_ repository: FeedMetadata) {
        self.repository = repository
    }

    func document(_ request: MetadataRequest) async throws -> [UInt8]? {
        let bytes = try await repository.document(request)
        if let bytes { received.withLock { $0.append((request, bytes)) } }
        return bytes
    }

    /// The documents of some roles, in the order in which they came.
    func documents(of roles: RoleName...) -> [(name: String, bytes: [UInt8])] { documents { roles.contains($0) } }

    var delegatedDocuments: [(name: String, bytes: [UInt8])] {
        documents { ![.root, .timestamp, .snapshot, .targets].contains($0) }
    }

    private func documents(where isWanted: (RoleName) -> Bool) -> [(name: String, bytes: [UInt8])] {
        received.withLock { $0.filter { isWanted($0.request.role) }.map { ($0.request.fileName, $0.bytes) } }
    }
}
