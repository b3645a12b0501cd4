import BundleWebKit
import HTTPTypes
import OfflineBundles

/// What the web view gets: the client's response, with a page for users in place of a line of text where there is none.
struct ShellResponder: Sendable {
    let client: BundleClient
    let connection: ConnectionState

    /// Responds on the calling thread where that needs no waiting; otherwise returns what waits.
    func begin(_ request: WebViewRequest) -> Beginning {
        switch client.begin(request.request) {
        case .complete(let response, let source, _): return .complete(finish(.complete(response, source), request))
        case .waiting(let respond):
            let content = request.content.isEmpty ? nil : BodyStream(request.content)
            return .waiting {
                finish(await respond(ClientExchange(content: content, interim: { _ in })), request)
            }
        }
    }

    /// Responds, and waits for that if need be.
    func response(to request: WebViewRequest) async -> ServedResponse {
        await begin(request).response()
    }

    enum Beginning: Sendable {
        case complete(ServedResponse)
        case waiting(@Sendable () async -> ServedResponse)

        func response() async -> ServedResponse {
            switch self {
            case .complete(let response): response
            case .waiting(let respond): await respond()
            }
        }
    }

    private func finish(_ response: ServedResponse, _ request: WebViewRequest) -> ServedResponse {
        connection.note(response.source)
        return ErrorPage.replacing(response, of: request.url, isPage: request.isPage)
    }
}
