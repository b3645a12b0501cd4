import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// A folder in which releases are published, such as a stick's: its files are read as those of a server, with ranges and
/// conditions. What a feed there names is read below the folder of the feed alone.
///
/// Only an operator may name one: what came over the network, or with a release, can't have a file read. A value type; safe to
/// share between threads.
struct FolderPlace: PlaceReader {
    /// How old a file has to be in seconds for its time to tell that it hasn't changed: FAT counts in two seconds, and clocks
    /// are set (RFC 9110 §8.8.2.2).
    private static let leastAge: Int64 = 60

    private let feed: FileURL
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - feed: The URL of the feed; nil is returned for one that isn't a file's.
    ///   - now: The time.
    init?(of feed: URL, now: @escaping @Sendable () -> Date = { Date() }) {
        guard let feed = FileURL(feed) else { return nil }
        (self.feed, self.now) = (feed, now)
    }

    package func reads(_ url: URL) -> Bool { FileURL(url) != nil }

    /// Responds to a GET: with 200, 206, 304, 412 or 416.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the file isn't there, isn't a regular file,
    ///   lies outside of the folder or behind a symbolic link; the cause is ``AbsentPlace`` when the feed is gone too, as it is
    ///   without its medium.
    package func response(for url: URL, fields: HTTPFields) async throws -> OriginResponse {
        guard let target = FileURL(url), let components = target.components(beside: feed) else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) isn't in the folder of its feed, and isn't read; correct the feed"
            )
        }
        return try await withTaskExecutorPreference(BlockingExecutor()) {
            do throws(ConfinedFile.Problem) {
                return response(try ConfinedFile(components, below: feed.folder), at: url, fields)
            } catch {
                throw refusal(error, of: target, at: url)
            }
        }
    }

    private func response(_ file: ConfinedFile, at url: URL, _ fields: HTTPFields) -> OriginResponse {
        let tag = entityTag(of: file)
        let length = Int(clamping: file.byteCount)
        let validators = Validators(entityTag: tag)
        let selection = ResponseSelection(isHead: false, of: fields, validators: validators, length: length)
        var head = HTTPResponse(status: .ok)
        head.headerFields[.acceptRanges] = "bytes"
        head.headerFields[.eTag] = tag?.fieldValue
        func content(_ range: Range<Int64>) -> OriginResponse {
            head.headerFields[.contentLength] = String(range.count)
            return OriginResponse(head: head, body: BodyStream(FileChunks(file: file, range: range, url: url)))
        }
        switch selection {
        case .parts(let parts) where parts.count == 1:
            let range = Int64(parts[0].lowerBound)..<Int64(parts[0].upperBound)
            head = head.partial(range, of: file.byteCount)
            return content(range)
        case .whole, .parts: return content(0..<file.byteCount)
        case .notModified: head.status = .notModified
        case .preconditionFailed: head.status = .preconditionFailed
        case .rangeNotSatisfiable:
            head.status = .rangeNotSatisfiable
            head.headerFields[.contentRange] = "bytes */\(length)"
        }
        return OriginResponse(head: head, body: BodyStream([]))
    }

    /// Nil for a file that was changed lately, or in the future, as the clock of another machine may have it.
    private func entityTag(of file: ConfinedFile) -> EntityTag? {
        let (seconds, nanoseconds) = file.modification
        let age = Int64(now().timeIntervalSince1970).subtractingReportingOverflow(seconds)
        guard !age.overflow, age.partialValue >= Self.leastAge else { return nil }
        return EntityTag("\"\(file.inode)-\(file.byteCount)-\(seconds).\(nanoseconds)\"")
    }

    private func refusal(_ problem: ConfinedFile.Problem, of target: FileURL, at url: URL) -> BundleError {
        // A folder at which nothing is mounted is there, and empty.
        let isGone = problem == .absent && (target == feed || !isFeedThere)
        let advice =
            isGone
            ? "connect its medium, or correct the path" : "copy what was published again, or correct the feed"
        return BundleError(
            .networkUnavailable,
            "\(url.reported) \(problem); \(advice)",
            cause: isGone ? AbsentPlace() : problem == .absent ? AbsentFile() : nil
        )
    }

    private var isFeedThere: Bool {
        feed.components.last.map { (try? ConfinedFile([$0], below: feed.folder)) != nil } ?? false
    }
}

/// The cause of the error for a file that isn't in the folder of its feed, which is there.
struct AbsentFile: Error {}

/// A `file` URL (RFC 8089) of this machine in its parts, without any repair: `file:///media/usb/feed.json`. Pure; a value type,
/// safe to share between threads.
package struct FileURL: Hashable, Sendable {
    /// The names of the path from the root, percent-decoded: none is `.` or `..`, or has a slash.
    let components: [String]

    /// Nil for a URL of another scheme or host, with a query or a fragment, or whose path leads upwards or has an empty part. A
    /// slash at the end is left out.
    package init?(_ text: String) {
        let prefix = "file:///"
        guard text.prefix(prefix.count).lowercased() == prefix else { return nil }
        let path = text.utf8.dropFirst(prefix.utf8.count)
        guard !path.contains(UInt8(ascii: "?")), !path.contains(UInt8(ascii: "#")) else { return nil }
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let components = parts.compactMap(PercentEncoding.decode)
        guard components.count == parts.count, components.allSatisfy(ConfinedFile.isName) else { return nil }
        self.components = components
    }

    package init?(_ url: URL) { self.init(url.absoluteString) }

    /// The absolute path.
    package var path: String { components.isEmpty ? "/" : components.map { "/\($0)" }.joined() }

    /// The absolute path of the folder that it is in; empty for the root.
    var folder: String { components.dropLast().map { "/\($0)" }.joined() }

    /// The path from the folder of another file, at any depth; nil for what isn't below that.
    func components(beside file: FileURL) -> [String]? {
        let folder = file.components.dropLast()
        guard components.count > folder.count, components.starts(with: folder) else { return nil }
        return Array(components.dropFirst(folder.count))
    }
}

/// Reads a part of a file in chunks, away from the threads that tasks share.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let file: ConfinedFile
    /// Within the file as it was when it was opened.
    let range: Range<Int64>
    /// Where it is, for messages.
    let url: URL

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        private let chunks: FileChunks
        private let executor = BlockingExecutor()
        private var position: Int64

        fileprivate init(chunks: FileChunks) {
            self.chunks = chunks
            position = chunks.range.lowerBound
        }

        /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the file became shorter, or its medium is
        ///   gone.
        mutating func next() async throws -> [UInt8]? {
            try Task.checkCancellation()
            let rest = chunks.range.upperBound - position
            guard rest > 0 else { return nil }
            let (start, count) = (position, Int(Swift.min(rest, Int64(ByteSliceChunks.maximumByteCount))))
            let bytes = try await withTaskExecutorPreference(executor) { [chunks] in
                try chunks.read(at: start, count)
            }
            position += Int64(bytes.count)
            return bytes
        }
    }

    private func read(at position: Int64, _ count: Int) throws(BundleError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(ConfinedFile.Problem) {
            bytes = try file.read(at: position, atMost: count)
        } catch {
            let cause = error == .absent ? AbsentPlace() : nil
            throw BundleError(.networkUnavailable, "\(url.reported) \(error); try again", cause: cause)
        }
        guard bytes.count == count else {
            throw BundleError(.networkUnavailable, "\(url.reported) became shorter while it was read; try again")
        }
        return bytes
    }
}
