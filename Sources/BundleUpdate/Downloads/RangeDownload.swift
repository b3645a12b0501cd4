import BundleInstall
import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Downloads ranges of an archive into a file of the store, one behind the other, resuming an earlier attempt. Any server
/// that understands single ranges (RFC 9110 §14) will do.
///
/// The bytes aren't verified here: compare the digests of what they decode to.
struct RangeDownload: Sendable {
    /// How many requests are under way at a time.
    private static let requestCount = 4
    /// The longest range that is asked for at once in bytes: so much is held in memory for each request, and lost when the
    /// process ends.
    private static let maximumPartByteCount: Int64 = 256 << 10
    /// How often the rest of a broken part is asked for, as long as each attempt brings something.
    private static let maximumResumptionCount = 4

    let store: BundleStore
    let document: OriginDocument
    /// The bundle that they are for.
    let bundle: BundleName
    let archive: FeedFile<URL>
    let ranges: ByteRanges
    /// The most bytes that are fetched.
    let maximumByteCount: Int64
    /// Counts the bytes that arrive.
    let received: ByteCounter
    /// Called with the bytes that are there.
    let progress: @Sendable (ByteProgress) -> Void

    /// Where the bytes are saved.
    var path: String { store.entriesPath(for: DownloadKey(archive.digest, of: bundle)) }

    /// The digest of the archive's digest and the ranges: what is there of other ranges is of no use.
    private var identifier: Digest {
        Digest(of: Array(([archive.digest.hex] + ranges.ranges.map(\.description)).joined(separator: " ").utf8))
    }

    /// How many bytes of these ranges an earlier attempt has left.
    var presentByteCount: Int64 {
        min(store.downloadedByteCount(ofEntries: DownloadKey(archive.digest, of: bundle), identifier), ranges.byteCount)
    }

    /// Downloads all ranges to ``path``.
    ///
    /// - Returns: The file; while it is held, it isn't treated as abandoned.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the connection fails, which keeps what
    ///   was received, or when the server doesn't send ranges of an archive of that size; `quotaExceeded` or
    ///   `storeUnavailable` when there is no room.
    func run() async throws -> DownloadFile {
        guard ranges.byteCount <= maximumByteCount else {
            throw BundleError(
                .invalidFeed,
                "\(archive.location.reported): it lacks \(ByteCount.text(ranges.byteCount)), over the limit of "
                    + "\(ByteCount.text(maximumByteCount))"
            )
        }
        let download = try DownloadFile(path)
        do {
            try store.checkRoom(forArchive: DownloadKey(identifier, of: bundle), of: ranges.byteCount)
            if try download.validator != identifier.hex || download.byteCount() > ranges.byteCount {
                try download.truncate()
                try download.setValidator(identifier.hex)
            }
            let parts = ranges.parts(from: try download.byteCount(), atMost: Self.maximumPartByteCount)
            try await fetch(parts) { bytes in
                try download.append(bytes)
                progress(ByteProgress(done: try download.byteCount(), total: ranges.byteCount))
            }
        } catch let error as BundleError where [.storeUnavailable, .quotaExceeded].contains(error.code) {
            // On a full disk a partial file takes up space.
            try? download.remove()
            throw error
        } catch {
            if (try? download.byteCount()) == 0 { try? download.remove() }
            throw error
        }
        return download
    }

    /// Asks for several parts at a time, and passes them on in order. The first one is asked for alone: a server that ignores
    /// ranges sends the whole archive for each.
    private func fetch(_ parts: [Range<Int64>], _ take: ([UInt8]) throws -> Void) async throws {
        try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            var begun = 0
            func begin(upTo end: Int) {
                while begun < min(end, parts.count) {
                    let number = begun
                    begun += 1
                    group.addTask { (number, try await bytes(of: parts[number])) }
                }
            }
            begin(upTo: 1)
            var arrived: [Int: [UInt8]] = [:]
            var taken = 0
            while let (number, bytes) = try await group.next() {
                arrived[number] = bytes
                while let next = arrived.removeValue(forKey: taken) {
                    try take(next)
                    taken += 1
                    begin(upTo: taken + Self.requestCount)
                }
            }
        }
    }

    private func bytes(of part: Range<Int64>) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for attempt in 0... {
            let rest = part.dropFirst(bytes.count)
            let (received, failure) = try await read(rest)
            bytes += received
            guard let failure else { break }
            guard attempt < Self.maximumResumptionCount, !received.isEmpty else { throw failure }
        }
        return bytes
    }

    /// What arrives of a part, and why it isn't all: from the site's cache if that sends all of it.
    private func read(_ part: Range<Int64>) async throws -> (bytes: [UInt8], failure: BundleError?) {
        if let (document, url) = document.fromCache(archive.location) {
            do {
                let sent = try await read(part, of: url, by: document)
                if sent.failure == nil { return sent }
            } catch is BundleError {
                // The origin is asked.
            }
        }
        return try await read(part, of: archive.location, by: document)
    }

    private func read(
        _ part: Range<Int64>,
        of url: URL,
        by document: OriginDocument
    ) async throws -> (bytes: [UInt8], failure: BundleError?) {
        let field = "bytes=\(part.lowerBound)-\(part.upperBound - 1)"
        return try await document.transfer(url, fields: [.range: field]) { response, url in
            guard let sent = response.head.receivedPart, sent.range == part, sent.length ?? archive.size == archive.size
            else { throw Self.refusal(of: response.head, at: url, part) }
            var bytes: [UInt8] = []
            do {
                for try await chunk in response.body {
                    received.add(chunk.count)
                    guard bytes.count + chunk.count <= part.count else {
                        throw BundleError(.networkUnavailable, "\(url.reported) sends more than was asked for")
                    }
                    bytes += chunk
                }
            } catch let error as BundleError where error.code == .networkUnavailable {
                return (bytes, error)
            }
            guard bytes.count == part.count else {
                return (bytes, BundleError(.networkUnavailable, "\(url.reported) ended within a range; try again"))
            }
            return (bytes, nil)
        }
    }

    private static func refusal(of head: HTTPResponse, at url: URL, _ part: Range<Int64>) -> BundleError {
        let problem =
            switch head.status.code {
            case 200: "ignores ranges"
            case 206, 416:
                "has another length, or sends another range, than bytes \(part.lowerBound) to \(part.upperBound - 1)"
            case let code: "responded with \(code) to a range"
            }
        let isUnderstood = [200, 206, 416].contains(head.status.code)
        return BundleError(
            .networkUnavailable,
            "\(url.reported) \(problem)",
            cause: isUnderstood ? nil : UnexpectedResponse(head: head)
        )
    }
}
