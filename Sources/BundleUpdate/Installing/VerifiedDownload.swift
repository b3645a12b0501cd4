import BundleStore
import Foundation
import HTTPCore

/// Downloads an archive of which only the digest is known into a file of the store, resuming an earlier attempt.
struct VerifiedDownload: Sendable {
    let store: BundleStore
    let document: OriginDocument
    let source: URL
    let digest: Digest
    /// The length in bytes of the longest archive that is fetched.
    let maximumByteCount: Int64
    /// Called with the bytes of the archive that are in the file, once its length is known.
    let progress: @Sendable (ByteProgress) -> Void

    /// Where the archive is saved.
    var path: String { store.downloadPath(for: key) }

    /// Downloads the whole archive to ``path``.
    ///
    /// - Returns: The file; while it is held, it isn't treated as abandoned.
    /// - Throws: As ``Updater/install(archive:digest:options:progress:)``.
    func run() async throws -> DownloadFile {
        let file = try DownloadFile(path)
        do {
            let received = try await document.fetching(source) { try await fetch.run(into: file) }
            guard received == digest else {
                throw refusal("has SHA-256 \(received), not \(digest); correct the one or the other")
            }
            return file
        } catch let error as BundleError where error.code != .networkUnavailable {
            // What isn't the archive, or has no room, isn't worth resuming.
            try? file.remove()
            throw error
        } catch {
            if (try? file.byteCount()) == 0 { try? file.remove() }
            throw error
        }
    }

    private var key: DownloadKey { DownloadKey(digest, of: nil) }

    private var fetch: ResumableFetch {
        ResumableFetch(
            document: document,
            source: source,
            digest: digest,
            size: nil,
            advice: "check the URL",
            received: ByteCounter(),
            admit: checkRoom,
            progress: progress
        )
    }

    private func checkRoom(_ byteCount: Int64) throws {
        guard byteCount <= maximumByteCount else {
            throw refusal(
                "has over \(ByteCount.text(maximumByteCount)), the limit; raise the limits, or correct the URL"
            )
        }
        try store.checkRoom(forArchive: key, of: byteCount)
    }

    private func refusal(_ problem: String) -> BundleError {
        BundleError(.invalidArchive, "\(source.reported) \(problem)")
    }
}
