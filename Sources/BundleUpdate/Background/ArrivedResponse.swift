import BundleStore
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

/// A response that the system has received into a file, as the network of the download that it is for. So the response is read and
/// verified like any other. Thread-safe.
package final class ArrivedResponse: OriginTransport {
    /// The URL that served it.
    let url: URL
    private let head: HTTPResponse
    private let file: ConfinedFile
    private let isTaken = Atomic(false)

    /// Opens the file: once it returns, the file may be removed.
    ///
    /// - Parameters:
    ///   - head: The final response, after redirects.
    ///   - url: The URL that served it.
    ///   - file: The `file` URL of its content.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when there is no such file.
    init(_ head: HTTPResponse, from url: URL, in file: URL) throws(BundleError) {
        guard let path = FileURL(file), !path.components.isEmpty else { throw Self.loss(of: url, cause: nil) }
        do throws(ConfinedFile.Problem) {
            self.file = try ConfinedFile(path.components.suffix(1), below: path.folder)
        } catch {
            throw Self.loss(of: url, cause: error)
        }
        self.url = url
        self.head = Self.whole(head, self.file.byteCount)
    }

    /// Gives the response once, for any request.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` the second time: the response wasn't what was needed.
    package func send(_ call: OriginCall) async throws -> OriginResponse {
        guard !isTaken.exchange(true, ordering: .relaxed) else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) wasn't downloaded as it was asked for; try again later"
            )
        }
        let chunks = FileChunks(file: file, range: 0..<file.byteCount, url: url)
        return OriginResponse(head: head, body: BodyStream(chunks))
    }

    /// The system has received all of a response: its length is known, also where the server didn't name it.
    private static func whole(_ head: HTTPResponse, _ byteCount: Int64) -> HTTPResponse {
        guard head.status == .ok else { return head }
        var head = head
        head.headerFields[.contentLength] = String(byteCount)
        return head
    }

    private static func loss(of url: URL, cause: (any Error)?) -> BundleError {
        BundleError(
            .networkUnavailable,
            "\(url.reported) was downloaded, and its file is gone; try again",
            cause: cause
        )
    }
}
