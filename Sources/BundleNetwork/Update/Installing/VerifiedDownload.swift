import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Downloads an archive of which only the digest is known into a file of the store, resuming an earlier attempt.
struct VerifiedDownload: Sendable {
    /// How often it is checked that there is room for an archive whose length isn't known.
    private static let checkByteCount: Int64 = 16 << 20

    let store: BundleStore
    let document: OriginDocument
    let source: URL
    let digest: Digest
    /// The length in bytes of the longest archive that is fetched.
    let maximumByteCount: Int64
    /// Called with the bytes of the archive that are in the file, once its length is known.
    let progress: @Sendable (ByteProgress) -> Void

    /// Where the archive is saved.
    var path: String { store.downloadPath(for: digest) }

    /// Downloads the whole archive to ``path``.
    ///
    /// - Returns: The file; while it is held, it isn't treated as abandoned.
    /// - Throws: As ``Updater/install(archive:digest:options:progress:)``.
    func run() async throws -> DownloadFile {
        let file = try DownloadFile(path)
        do {
            let present = try file.byteCount()
            if present > 0, try file.digest() == digest { return file }
            if try await !fetch(into: file, from: present) {
                try file.truncate()
                _ = try await fetch(into: file, from: 0)
            }
            let received = try file.digest()
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

    /// Returns false when the server has no such part.
    private func fetch(into file: DownloadFile, from start: Int64) async throws -> Bool {
        let fields: HTTPFields = start > 0 ? [.range: "bytes=\(start)-"] : [:]
        return try await document.transfer(source, fields: fields) { response, url in
            switch response.head.status.code {
            case 206 where response.head.receivedPart?.range.lowerBound == start: break
            case 200: try file.truncate()
            case 206 where start > 0, 416 where start > 0: return false
            case let code:
                throw BundleError(
                    .networkUnavailable,
                    "\(url.reported) responded with \(code); check the URL",
                    cause: UnexpectedResponse(head: response.head)
                )
            }
            try await save(response, into: file)
            return true
        }
    }

    private func save(_ response: OriginResponse, into file: DownloadFile) async throws {
        let length =
            response.head.receivedPart?.length ?? response.head.headerFields[.contentLength].flatMap { Int64($0) }
        if let length { try checkRoom(length) }
        var position = try file.byteCount()
        var checked = position
        for try await chunk in response.body {
            position += Int64(chunk.count)
            if position - checked >= Self.checkByteCount || position > length ?? .max {
                try checkRoom(position)
                checked = position
            }
            try file.append(chunk)
            if let length { progress(ByteProgress(done: position, total: length)) }
        }
        guard position >= length ?? 0 else {
            throw BundleError(
                .networkUnavailable,
                "\(source.reported) ended after \(position) of \(length ?? 0) bytes; try again, the rest will be fetched"
            )
        }
    }

    private func checkRoom(_ byteCount: Int64) throws {
        guard byteCount <= maximumByteCount else {
            throw refusal(
                "has over \(ByteCount.text(maximumByteCount)), the limit; raise the limits, or correct the URL"
            )
        }
        try store.checkRoom(forArchive: digest, of: byteCount)
    }

    private func refusal(_ problem: String) -> BundleError {
        BundleError(.invalidArchive, "\(source.reported) \(problem)")
    }
}
