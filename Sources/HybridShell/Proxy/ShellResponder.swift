import BundleWebKit
import HTTPTypes
import OfflineBundles
import Synchronization

/// What the web view gets: the client's response, with a page for users in place of a line of text where there is none.
struct ShellResponder: Sendable {
    let client: BundleClient
    let connection: ConnectionState

    /// Responds on the calling thread where that needs no waiting; otherwise returns what waits.
    func begin(_ request: WebViewRequest) -> Beginning {
        switch client.startResponse(to: request.request) {
        case .complete(let response, let source, _): .complete(finish(.complete(response, source), request))
        case .waiting(let respond):
            .waiting {
                finish(await respond(ClientExchange(content: request.content.body, interim: { _ in })), request)
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

/// Whether the pages lack the network, as far as the responses show: what was asked of it last decides.
final class ConnectionState: Sendable {
    private struct State {
        var isOffline = false
        var observer: (@Sendable (Bool) -> Void)?
    }

    private let state = Mutex(State())

    /// Has changes reported, from any thread.
    func observe(_ observer: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Takes what a response says.
    func note(_ source: ResponseSource) {
        if let isOffline = Self.isOffline(source) { change(isOffline) }
    }

    /// Takes that the machine's link has gone or come back.
    func note(hasLink: Bool) {
        change(!hasLink)
    }

    private func change(_ isOffline: Bool) {
        let observer = state.withLock { state in
            guard state.isOffline != isOffline else { return nil as (@Sendable (Bool) -> Void)? }
            state.isOffline = isOffline
            return state.observer
        }
        observer?(isOffline)
    }

    /// Nil when the response says nothing about the network: bundled files and stored responses are sent in any case.
    static func isOffline(_ source: ResponseSource) -> Bool? {
        switch (source.layer, source.failure) {
        case (_, .offline), (_, .noResponse): true
        case (.stale, _): true
        case (.network, _): false
        default: nil
        }
    }
}
