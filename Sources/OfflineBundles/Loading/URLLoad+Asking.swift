import BundleEmbedding
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the layers are asked, and what becomes of their response.
extension URLLoad {
    /// The network for what a redirect leads to and the client doesn't cover, where Foundation can't be given it back.
    private static let network = URLSessionTransport()

    func ask() {
        guard let head = HTTPRequest(request, target, contentLength: content.length, session: settings) else {
            return fail(LoadingFailure.error(.badURL, request.url))
        }
        guard isCovered else { return askNetwork(head) }
        switch client.begin(head) {
        case .complete(let response, let source, _): take(.complete(response, source))
        case .waiting(let respond):
            let exchange = ClientExchange(content: content.bytes, executor: executor, interim: { _ in })
            wait { await respond(exchange) }
        }
    }

    private func askNetwork(_ head: HTTPRequest) {
        var call = OriginCall(head)
        call.content = content.bytes
        wait { [call] in
            let response = try await Self.network.send(call)
            return .streaming(response.head, response.body, ResponseSource(.network))
        }
    }

    private func wait(for respond: @escaping @Sendable () async throws -> ServedResponse) {
        work = Task(executorPreference: executor) { [self] in
            do {
                let response = try await respond()
                await proceed { $0.take(response) }
            } catch {
                await proceed { $0.fail(LoadingFailure.error(error, $0.request.url)) }
            }
        }
        watchTime()
    }

    private func take(_ response: ServedResponse) {
        guard isRunning else { return }
        settings.cookies.keep(response.head.headerFields, of: request)
        if let failure = response.source.failure {
            fail(LoadingFailure.error(failure, request.url))
        } else if let next = Redirection.request(after: response.head, to: request) {
            redirect(to: next, response)
        } else if let challenge = BasicChallenge(response.head), !content.isStream {
            respond(to: challenge, response)
        } else {
            deliver(response)
        }
    }
}
