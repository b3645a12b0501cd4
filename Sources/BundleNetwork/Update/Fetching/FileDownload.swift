import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Downloads an advertised file into the store, resuming an earlier attempt, and verifies it.
struct FileDownload: Sendable {
    /// How often a broken download is resumed at once, as long as each attempt brings something.
    private static let maximumResumptionCount = 4

    let store: BundleStore
    let document: OriginDocument
    let file: FeedFile<URL>
    /// The release, if the file is its archive.
    let release: FeedRelease?
    /// The length in bytes of the longest file that is fetched.
    let maximumByteCount: Int64
    /// Counts the bytes that arrive.
    let received: ByteCounter
    /// Called with the bytes of the file that are there.
    let progress: @Sendable (ByteProgress) -> Void

    /// Where the file is saved.
    var path: String { store.downloadPath(for: file.digest) }

    /// Downloads the whole file to ``path``.
    ///
    /// - Returns: The file; while it is held, it isn't treated as abandoned.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the connection fails, which keeps the
    ///   received part for the next attempt, or when the response isn't the file; `invalidFeed` when it has another size or digest than advertised
    ///   or is too long, `quotaExceeded` or `storeUnavailable` when there is no room for it, and `storeUnavailable`
    ///   when it can't be written, all of which keep nothing; for an archive the cause is ``RefusedRelease`` when something had
    ///   been fetched.
    func run() async throws -> DownloadFile {
        do {
            try checkRoom()
        } catch {
            // A partial file of an earlier attempt takes up space that is needed elsewhere.
            if FileManager.default.fileExists(atPath: path) { try? DownloadFile(path).remove() }
            throw error
        }
        let download = try DownloadFile(path)
        do {
            try await fetchAll(into: download)
            try check(download)
        } catch let error as BundleError where [.storeUnavailable, .invalidFeed].contains(error.code) {
            // Anything but the advertised file isn't worth resuming, and on a full disk a partial file takes up space.
            let wasFetched = ((try? download.byteCount()) ?? 0) > 0
            try? download.remove()
            guard wasFetched, let release else { throw error }
            throw error.refusing(release, isFinal: false)
        } catch {
            if (try? download.byteCount()) == 0 { try? download.remove() }
            throw error
        }
        return download
    }

    private func fetchAll(into download: DownloadFile) async throws {
        if try download.byteCount() > file.size { try download.truncate() }
        for attempt in 0... {
            let present = try download.byteCount()
            guard present != file.size else { return }
            do {
                return try await fetch(into: download, from: present)
            } catch let error as BundleError where error.code == .networkUnavailable {
                // A server that is too slow is left alone for now.
                guard !(error.cause is TransferPace.Slowness) else { throw error }
                guard attempt < Self.maximumResumptionCount, try download.byteCount() > present else { throw error }
            }
        }
    }

    /// Throws, before anything is fetched, when there is no room for what the feed offers.
    private func checkRoom() throws {
        guard file.size <= maximumByteCount else {
            throw BundleError(
                .invalidFeed,
                "\(file.location.reported) has \(ByteCount.text(file.size)) according to the feed, over the limit of "
                    + "\(ByteCount.text(maximumByteCount)); nothing was fetched; correct the feed, or raise the limits"
            )
        }
        try store.checkRoom(forArchive: file.digest, of: file.size)
    }

    private func fetch(into download: DownloadFile, from start: Int64) async throws {
        try await document.transfer(file.location, fields: fields(download, from: start)) { response, url in
            try await save(response, from: url, into: download, from: start)
        }
    }

    private func save(
        _ response: OriginResponse,
        from url: URL,
        into download: DownloadFile,
        from start: Int64
    ) async throws {
        if let length = Self.wholeLength(of: response.head), length != file.size {
            throw refusal("has \(length) bytes, not \(file.size)")
        }
        var position = start
        switch response.head.status.code {
        case 206 where response.head.receivedPart?.range.lowerBound == start: break
        case 200:
            try download.truncate()
            position = 0
        case 206, 416:
            // The partial file doesn't match the server's; the next attempt starts over.
            try download.truncate()
            throw BundleError(.networkUnavailable, "\(url.reported) couldn't be resumed at byte \(start); try again")
        case let code:
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) responded with \(code); publish the file, or correct the feed",
                cause: UnexpectedResponse(head: response.head)
            )
        }
        try download.setValidator(Self.validator(of: response.head))
        for try await chunk in response.body {
            received.add(chunk.count)
            position += Int64(chunk.count)
            guard position <= file.size else { throw refusal("is longer than \(file.size) bytes") }
            try download.append(chunk)
            progress(ByteProgress(done: position, total: file.size))
        }
        guard position == file.size else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) ended after \(position) of \(file.size) bytes; try again, the rest will be fetched"
            )
        }
    }

    /// A range only of what was begun: a file that has changed since then comes whole (RFC 9110 §13.1.5).
    private func fields(_ download: DownloadFile, from start: Int64) -> HTTPFields {
        guard start > 0 else { return [:] }
        var fields: HTTPFields = [.range: "bytes=\(start)-"]
        fields[.ifRange] = download.validator
        return fields
    }

    private func check(_ download: DownloadFile) throws {
        let digest = try download.digest()
        guard digest == file.digest else {
            throw refusal("has SHA-256 \(digest), not \(file.digest)")
        }
    }

    private func refusal(_ problem: String) -> BundleError {
        BundleError(.invalidFeed, "\(file.location.reported) \(problem) as the feed says; publish it again")
    }

    /// The strong entity tag (RFC 9110 §8.8.3), as the server sent it.
    private static func validator(of head: HTTPResponse) -> String? {
        let tag = head.headerFields[fields: .eTag].first.flatMap { EntityTag($0) }
        return tag?.isWeak == false ? head.headerFields[.eTag] : nil
    }

    /// The length of the whole file in bytes, nil when the response doesn't give it.
    private static func wholeLength(of head: HTTPResponse) -> Int64? {
        switch head.status.code {
        case 200: head.headerFields[.contentLength].flatMap { Int64($0) }
        case 206: head.receivedPart?.length
        case 416: head.headerFields[.contentRange].flatMap { $0.split(separator: "/").last }.flatMap { Int64($0) }
        default: nil
        }
    }
}
