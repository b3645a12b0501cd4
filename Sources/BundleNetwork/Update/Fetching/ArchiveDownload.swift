import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Downloads one advertised archive into a file of the store, resuming an earlier attempt, and verifies it.
struct ArchiveDownload: Sendable {
    let store: BundleStore
    let document: OriginDocument
    let release: FeedRelease
    /// The length in bytes of the longest archive that is fetched.
    let maximumByteCount: Int64
    /// Called with the bytes of the archive that are in the file.
    let progress: @Sendable (ByteProgress) -> Void

    /// Where the archive is saved.
    var path: String { store.downloadPath(for: release.digest) }

    /// Downloads the whole archive to ``path``.
    ///
    /// - Returns: The file; while it is held, it isn't treated as abandoned.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the connection fails, which keeps the
    ///   received part for the next attempt; `invalidFeed` when the archive has another size or digest than advertised
    ///   or is too long, `quotaExceeded` or `storeUnavailable` when there is no room for it, and `storeUnavailable`
    ///   when it can't be written, all of which keep nothing; the cause is ``RefusedRelease`` when something had been
    ///   fetched.
    func run() async throws -> DownloadFile {
        do {
            try checkRoom()
        } catch {
            // A partial file of an earlier attempt takes up space that is needed elsewhere.
            if FileManager.default.fileExists(atPath: path) { try? DownloadFile(path).remove() }
            throw error
        }
        let file = try DownloadFile(path)
        do {
            let present = try file.byteCount()
            if present > release.size { try file.truncate() }
            if present != release.size { try await fetch(into: file, from: present > release.size ? 0 : present) }
            try check(file)
        } catch let error as BundleError where [.storeUnavailable, .invalidFeed].contains(error.code) {
            // Anything but the advertised archive isn't worth resuming, and on a full disk a partial file takes up
            // space.
            let wasFetched = ((try? file.byteCount()) ?? 0) > 0
            try? file.remove()
            throw wasFetched ? error.refusing(release, isFinal: false) : error
        } catch {
            if (try? file.byteCount()) == 0 { try? file.remove() }
            throw error
        }
        return file
    }

    /// Throws, before anything is fetched, when there is no room for what the feed offers.
    private func checkRoom() throws {
        guard release.size <= maximumByteCount else {
            throw BundleError(
                .invalidFeed,
                "\(release.source.reported) is \(release.size) bytes long according to the feed, over the limit of "
                    + "\(maximumByteCount); nothing was fetched; correct the feed, or raise the limits"
            )
        }
        try store.checkRoom(forArchive: release.digest, of: release.size)
    }

    private func fetch(into file: DownloadFile, from start: Int64) async throws {
        let fields: HTTPFields = start > 0 ? [.range: "bytes=\(start)-"] : [:]
        try await document.transfer(release.source, fields: fields) { response, url in
            try await save(response, from: url, into: file, from: start)
        }
    }

    private func save(
        _ response: OriginResponse,
        from url: URL,
        into file: DownloadFile,
        from start: Int64
    ) async throws {
        if let length = Self.wholeLength(of: response.head), length != release.size {
            throw refusal("has \(length) bytes, not \(release.size)")
        }
        var position = start
        switch response.head.status.code {
        case 206 where Self.rangeStart(of: response.head) == start: break
        case 200:
            try file.truncate()
            position = 0
        case 206, 416:
            // The partial file doesn't match the server's archive; the next attempt starts over.
            try file.truncate()
            throw BundleError(.networkUnavailable, "\(url.reported) couldn't be resumed at byte \(start); try again")
        case let code:
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) responded with \(code); publish the archive, or correct the feed"
            )
        }
        for try await chunk in response.body {
            position += Int64(chunk.count)
            guard position <= release.size else { throw refusal("is longer than \(release.size) bytes") }
            try file.append(chunk)
            progress(ByteProgress(done: position, total: release.size))
        }
        guard position == release.size else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) ended after \(position) of \(release.size) bytes; try again, the rest will be fetched"
            )
        }
    }

    private func check(_ file: DownloadFile) throws {
        let digest = try file.digest()
        guard digest == release.digest else {
            throw refusal("has SHA-256 \(digest), not \(release.digest)")
        }
    }

    private func refusal(_ problem: String) -> BundleError {
        BundleError(.invalidFeed, "\(release.source.reported) \(problem) as the feed says; publish it again")
    }

    /// The first position of a `Content-Range` (RFC 9110 §14.4).
    private static func rangeStart(of head: HTTPResponse) -> Int64? {
        guard let value = head.headerFields[.contentRange], value.lowercased().hasPrefix("bytes ") else { return nil }
        return Int64(value.dropFirst(6).prefix { $0 != "-" })
    }

    /// The length of the whole archive in bytes, nil when the response doesn't give it.
    private static func wholeLength(of head: HTTPResponse) -> Int64? {
        switch head.status.code {
        case 200: head.headerFields[.contentLength].flatMap { Int64($0) }
        case 206, 416:
            head.headerFields[.contentRange].flatMap { $0.split(separator: "/").last }.flatMap { Int64($0) }
        default: nil
        }
    }
}
