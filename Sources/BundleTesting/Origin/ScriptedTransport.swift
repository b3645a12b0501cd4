import BundleServing
import BundleStore
import HTTPCore
import HTTPTypes
import Synchronization

/// A network in memory: a test's closures respond for the URLs, and every request is recorded.
///
/// Safe to use from any number of tasks at once.
package final class ScriptedTransport: OriginTransport {
    /// Responds to one request, or throws what the network would.
    package typealias Script = @Sendable (HTTPRequest) async throws -> OriginResponse
    /// The same, with the request's content.
    package typealias CallScript = @Sendable (OriginCall) async throws -> OriginResponse

    private struct State {
        var scripts: [String: CallScript] = [:]
        var requests: [HTTPRequest] = []
        var isDown = false
    }

    private let state = Mutex(State())

    /// Makes a network without any server.
    package init() {}

    /// Whether every request fails without being recorded.
    package var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// The requests so far, in order.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Uses `script` for an absolute URL, query included, from now on.
    package func response(_ url: String, _ script: @escaping Script) {
        response(calling: url) { try await script($0.request) }
    }

    /// Uses `script` for an absolute URL, query included, from now on.
    package func response(calling url: String, _ script: @escaping CallScript) {
        state.withLock { $0.scripts[url] = script }
    }

    /// Serves a text at `url`.
    package func response(
        _ url: String,
        _ status: HTTPResponse.Status = .ok,
        _ fields: HTTPFields = [:],
        _ text: String
    ) {
        response(url) { _ in OriginResponse(status, fields, text) }
    }

    /// Serves bytes at `url`, and a part of them for a single range.
    package func response(_ url: String, file bytes: [UInt8]) {
        response(url) { .part(of: bytes, for: $0) }
    }

    /// Responds by the script of the request's URL.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when there is none or the network is down;
    ///   otherwise what the script throws.
    package func send(_ call: OriginCall) async throws -> OriginResponse {
        let request = call.request
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        let script = state.withLock { state -> CallScript? in
            if state.isDown { return nil }
            state.requests.append(request)
            return state.scripts[url]
        }
        guard let script else { throw BundleError(.networkUnavailable, "no server responds at \(url)") }
        return try await script(call)
    }
}

/// The response of a test's origin: a head, and the whole body.
package struct ScriptedResponse: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The fields; the server adds `Content-Length` and `Date` where they are missing.
    package var fields: HTTPFields
    /// The body. It isn't sent in response to HEAD, nor with a status that has none.
    package var body: [UInt8]

    /// Makes a response.
    package init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Makes a response with text in UTF-8.
    package init(_ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok) {
        self.init(status: status, fields: [.contentType: type], body: Array(text.utf8))
    }

    /// 404 with a line of text.
    package static let notFound = ScriptedResponse("not found\n", status: .notFound)
}

extension OriginResponse {
    /// A response in memory.
    package init(_ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], _ text: String) {
        self.init(status, fields, [Array(text.utf8)])
    }

    /// A response whose body arrives in these chunks, and then ends with `failure`, if there is one, as when the
    /// connection breaks.
    package init(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields = [:],
        _ chunks: [[UInt8]] = [],
        failure: (any Error)? = nil
    ) {
        let body = AsyncThrowingStream<[UInt8], any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: failure)
        }
        self.init(head: HTTPResponse(status: status, headerFields: fields), body: BodyStream(body))
    }

    /// The error of a body whose connection breaks.
    package static let connectionLost = BundleError(.networkUnavailable, "the connection was lost")
}
