import HTTPTypes
import OfflineBundles

/// What the web view gets: the client's response, with a page for users in place of a line of text where there is none.
struct ShellResponder: Sendable {
    let client: BundleClient
    let connection: ConnectionState

    /// Responds on the calling thread where that needs no waiting; otherwise returns what waits.
    func begin(_ request: ShellRequest) -> Beginning {
        switch client.begin(request.request) {
        case .complete(let response, let source, _): return .complete(finish(.complete(response, source), request))
        case .waiting(let respond):
            let content = request.content.isEmpty ? nil : BodyStream(request.content)
            return .waiting {
                finish(await respond(ClientExchange(content: content, interim: { _ in })), request)
            }
        }
    }

    enum Beginning: Sendable {
        case complete(ServedResponse)
        case waiting(@Sendable () async -> ServedResponse)
    }

    private func finish(_ response: ServedResponse, _ request: ShellRequest) -> ServedResponse {
        connection.note(response.source)
        if case .switching = response {
            let text = "This shell passes no WebSocket on; see the documentation."
            return .complete(.plain(.notImplemented, text), response.source)
        }
        return ErrorPage.replacing(response, of: request.url, isPage: request.isPage)
    }
}

extension ServedResponse {
    /// How much of a body is passed on in one piece.
    private static let pieceByteCount = 256 << 10

    /// The body as streams to be read one after the other; a short one is in memory at once.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when a bundled file can't be read any more.
    func bodies() throws -> [BodyStream] {
        switch self {
        case .streaming(_, let body, _): return [body]
        case .switching: return []
        case .complete(let response, _):
            guard response.body.byteCount <= Self.pieceByteCount else {
                return response.body.parts.map { BodyStream($0) }
            }
            let bytes = response.body.array
            guard !response.body.hasFaulted else {
                throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
            }
            return [BodyStream(bytes)]
        }
    }

    /// The length of the body, where it is known before it arrives.
    var bodyByteCount: Int64? {
        switch self {
        case .streaming(let head, _, _): head.headerFields[.contentLength].flatMap { Int64($0) }
        case .complete(let response, _): Int64(response.body.byteCount)
        case .switching: 0
        }
    }
}
