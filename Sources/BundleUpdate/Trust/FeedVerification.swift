import BundleModel
import BundleStore
import BundleTrust
import Foundation
import HTTPCore

/// Fetches a signed feed with what its publisher has signed, in the order of TUF's workflow. Nothing of the feed is parsed before it is
/// verified. A value type; safe to share between threads.
struct FeedVerification: Sendable {
    let store: BundleStore
    /// Fetches the documents and the feed.
    let document: OriginDocument
    /// The feed's URL.
    let url: URL
    /// The root that the program has for the bundle; nil for none.
    var shipped: PublisherRoot?
    /// Whether something of the feed may be installed: then what is trusted has to be written first.
    var installs = true

    /// What the target is called that is the feed.
    private static let feedPath = "feed.json"

    /// The feed of a bundle that is trusted by a root already. Where there is no news, and the feed was kept, the feed isn't fetched.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as ``OriginDocument/document(at:conditions:limit:)`` does; with code `untrusted` when
    ///   the feed isn't signed as it must be, with `TrustError` as the cause; `invalidFeed` when it is, and is wrong; `storeDamaged` when
    ///   what is trusted can't be read.
    func feed(of name: BundleName, by anchor: TrustAnchor) async throws -> ReceivedFeed {
        let copy = try? store.feedCopy(of: name, feed: url.absoluteString)
        let verified = try await verifying {
            let keeper = try CatalogKeeper(store, name, anchor: anchor.digest, shipped: shipped, installs: installs)
            let root = keeper.rootVersion
            // Those that were followed count also after a refusal.
            defer {
                if keeper.rootVersion > root { UpdateJournal(store: store).followed(keeper.rootVersion, of: name) }
            }
            return try await verify(keeper, copy?.isFrom(url.absoluteString) == true ? copy : nil)
        }
        let trust = FeedTrust(
            anchor: anchor.digest,
            targets: verified.targets,
            releaseKeys: verified.releaseKeys,
            pinning: nil
        )
        let new = FeedCopy(
            location: verified.location.absoluteString,
            entityTag: nil,
            lastModified: nil,
            content: verified.bytes
        )
        if new != copy { try? store.keep(new, of: name, feed: url.absoluteString) }
        return ReceivedFeed(
            feed: try Feed.parse(verified.bytes, baseURL: verified.location, trust: trust),
            location: verified.location,
            trust: trust
        )
    }

    /// A feed of a bundle that is trusted by no root yet.
    ///
    /// - Parameter digest: SHA-256 of the first root; nil to trust the one that is there.
    /// - Throws: As ``feed(of:by:)``.
    func firstFeed(digest: Digest?) async throws -> ReceivedFeed {
        let (verified, pinning, anchor) = try await verifying {
            let request = MetadataRequest.root(version: 1)
            guard let root = try await metadata.document(request) else {
                throw TrustError(.missing, request.fileName, "isn't there, so nobody has signed the feed")
            }
            let keeper = try FirstUseKeeper(root: root, digest: digest)
            let verified = try await verify(keeper, nil)
            let pinning = TrustPinning(isFirstUse: digest == nil, documents: keeper.documents)
            return (verified, pinning, Digest(of: root))
        }
        let trust = FeedTrust(
            anchor: anchor,
            targets: verified.targets,
            releaseKeys: verified.releaseKeys,
            pinning: pinning
        )
        return ReceivedFeed(
            feed: try Feed.parse(verified.bytes, baseURL: verified.location, trust: trust),
            location: verified.location,
            trust: trust
        )
    }

    private var metadata: FeedMetadata { FeedMetadata(feed: url, document: document) }

    private typealias Verified = (bytes: [UInt8], location: URL, targets: TargetsContent, releaseKeys: Digest)

    /// - Parameter copy: The feed as it was kept, from the same URL.
    private func verify(_ keeper: any MetadataKeeper, _ copy: FeedCopy?) async throws -> Verified {
        var workflow = try TrustWorkflow(metadata, keeper, at: TrustTime.clock(of: store))
        try await workflow.refresh()
        if let version = shipped?.version, version > workflow.state.root.version {
            throw TrustError(
                .missing,
                RoleName.root.fileName(version: version),
                "is the root that this program has, and isn't there"
            )
        }
        let path = try TargetPath(Self.feedPath)
        guard let targets = workflow.state.targets, let (target, _) = try await workflow.target(path) else {
            throw TrustError(.missing, Self.feedPath, "isn't among what the publisher has signed")
        }
        if let copy, (try? target.file.verify(copy.content, named: Self.feedPath)) != nil {
            return (copy.content, url, targets, workflow.state.root.targets.digest)
        }
        let (response, location) = try await document.document(at: url, limit: Feed.maximumByteCount)
        guard case .content(let bytes, _) = response else {
            throw TrustError(.missing, Self.feedPath, "has no content")
        }
        try target.file.verify(bytes, named: Self.feedPath)
        return (bytes, location, targets, workflow.state.root.targets.digest)
    }

    /// Runs `body`, and once more when something has been published, or another process has read it, in between.
    private func verifying<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            do {
                return try await body()
            } catch  where Self.mayPass(error) {
                return try await body()
            }
        } catch let error as TrustError {
            throw BundleError(
                .untrusted,
                "\(url.reported), which has to be signed, isn't trusted: \(error); nothing of it is used",
                cause: error
            )
        }
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as TrustError: [.contentMismatch, .wrongVersion].contains(error.code)
        case let error as BundleError: error.code == .storeBusy
        default: false
        }
    }
}
