import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// A folder in which releases are published, such as a stick's: its files are read as those of a server, with ranges and
/// conditions. What a feed there names is read below the folder of the feed alone.
///
/// Only an operator may name one: what came over the network, or with a release, can't have a file read. A value type; safe to
/// share between threads.
struct FolderPlace: Sendable {
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

    /// Responds to a GET: with 200, 206, 304, 412 or 416.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the file isn't there, isn't a regular file,
    ///   lies outside of the folder or behind a symbolic link; the cause is ``AbsentPlace`` when the feed is gone too, as it is
    ///   without its medium.
    func response(for url: URL, fields: HTTPFields) async throws -> OriginResponse {
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
        let selection = RequestConditions.withConditions(of: fields) {
            ResponseSelection(isHead: false, $0, validators: Validators(entityTag: tag), length: length)
        }
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
            cause: isGone ? AbsentPlace() : nil
        )
    }

    private var isFeedThere: Bool {
        feed.components.last.map { (try? ConfinedFile([$0], below: feed.folder)) != nil } ?? false
    }
}
