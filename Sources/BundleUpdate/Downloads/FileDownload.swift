import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Downloads an advertised file into the store, resuming an earlier attempt, and verifies it.
struct FileDownload: Sendable {
    let store: BundleStore
    let document: OriginDocument
    /// The bundle that it is for.
    let bundle: BundleName
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
    var path: String { store.downloadPath(for: key) }

    /// Downloads the whole file to ``path``.
    ///
    /// - Returns: The file; while it is held, it isn't treated as abandoned.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the connection fails, which keeps the
    ///   received part for the next attempt, or when the response isn't the file; `invalidFeed` when it has another size or digest than advertised
    ///   or is too long, `quotaExceeded` or `storeUnavailable` when there is no room for it, and `storeUnavailable`
    ///   when it can't be written, all of which keep nothing; for an archive the cause is ``RefusedRelease`` when something had
    ///   been fetched.
    func run() async throws -> DownloadFile {
        try checkRoom()
        let download = try DownloadFile(path)
        do {
            let received = try await fetch.run(into: download)
            guard received == file.digest else { throw file.refusal("has SHA-256 \(received), not \(file.digest)") }
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

    /// How many bytes are still to be fetched; 0 or less when earlier attempts have left them all.
    var missingByteCount: Int64 { file.size - store.downloadedByteCount(of: key) }

    /// The request for what the file lacks, for another program to send.
    ///
    /// - Returns: Nil where another program can't send it, see ``OriginDocument/openRequest(for:fields:)``.
    /// - Throws: As ``run()`` when there is no room for the file, or it can't be written.
    func openRequest() throws -> HTTPRequest? {
        try checkRoom()
        let download = try DownloadFile(path)
        let present = try download.byteCount()
        if present == 0 { try download.remove() }
        return document.openRequest(for: file.location, fields: fetch.fields(download, from: present))
    }

    private var key: DownloadKey { DownloadKey(file.digest, of: bundle) }

    private var fetch: ResumableFetch {
        file.fetch(by: document, counting: received, progress: progress)
    }

    /// Throws, before anything is fetched, when there is no room for what the feed offers. A partial file of an earlier attempt takes up
    /// space that is needed elsewhere, and is removed then.
    private func checkRoom() throws {
        do {
            try checkSize()
            try store.checkRoom(forArchive: key, of: file.size)
        } catch {
            if FileManager.default.fileExists(atPath: path) { try? DownloadFile(path).remove() }
            throw error
        }
    }

    private func checkSize() throws {
        guard file.size <= maximumByteCount else {
            throw BundleError(
                .invalidFeed,
                "\(file.location.reported) has \(ByteCount.text(file.size)) according to the feed, over the limit of "
                    + "\(ByteCount.text(maximumByteCount)); nothing was fetched; correct the feed, or raise the limits"
            )
        }
    }
}

extension FeedFile<URL> {
    /// Fetches the file, which has to have the length that the feed says.
    func fetch(
        by document: OriginDocument,
        counting received: ByteCounter,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) -> ResumableFetch {
        ResumableFetch(
            document: document,
            source: location,
            digest: digest,
            size: size,
            advice: "publish the file, or correct the feed",
            received: received,
            admit: { byteCount in
                guard byteCount != size else { return }
                throw refusal("has \(byteCount > size ? "at least " : "")\(byteCount) bytes, not \(size)")
            },
            progress: progress
        )
    }

    /// An error about a file that isn't the one that the feed names.
    func refusal(_ problem: String) -> BundleError {
        BundleError(.invalidFeed, "\(location.reported) \(problem) as the feed says; publish it again")
    }
}
