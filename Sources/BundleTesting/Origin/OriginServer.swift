import Foundation
import HTTPTypes

/// A real HTTP/1.1 server on 127.0.0.1 that acts as the publisher's origin.
///
/// It responds from the routes that a test sets, then from a folder, then with 404; it records every request, and fails
/// where a test wants it to. Safe to use from any number of tasks at once. It listens until ``stop()``.
package final class OriginServer: Sendable {
    /// Responds to requests for one path.
    package typealias Route = @Sendable (HTTPRequest) async throws -> ScriptedResponse
    /// The same, with the request's content.
    package typealias ContentRoute = @Sendable (HTTPRequest, [UInt8]) async throws -> ScriptedResponse
    /// Called for each request with the status of its response, once that is known.
    package typealias AccessLog = @Sendable (HTTPRequest, HTTPResponse.Status) -> Void

    private struct State: Sendable {
        var requests: [HTTPRequest] = []
        var routes: [String: ContentRoute] = [:]
        var faults: [String: (faults: [OriginFault], remaining: Int)] = [:]
        var files: OriginFiles?
        var port: Int
        /// Keeps a port that the server was not given, also while the server is stopped.
        var reservation: ReservedPort?
        var authorization: String?
        var listener: OriginListener?
    }

    private let state: Monitor<State>
    private let host: String
    private let certificate: TestCertificate?
    private let clock: @Sendable () -> Date
    private let accessLog: AccessLog?

    /// Makes a server that doesn't listen yet.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port, or 0 for one that is free; the server keeps it when it is stopped and started again.
    ///   - files: A folder to serve.
    ///   - certificate: For https; nil for http.
    ///   - clock: Gives the `Date` field.
    ///   - accessLog: Called for each request.
    package init(
        host: String = "127.0.0.1",
        port: Int = 0,
        files: OriginFiles? = nil,
        certificate: TestCertificate? = nil,
        clock: @escaping @Sendable () -> Date = { Date() },
        accessLog: AccessLog? = nil
    ) {
        state = Monitor(State(files: files, port: port))
        self.host = host
        self.certificate = certificate
        self.clock = clock
        self.accessLog = accessLog
    }

    /// The port; known from the first ``start()`` on.
    package var port: Int { state.state.port }

    /// `http://127.0.0.1:PORT` without a slash at the end, `https` with a certificate.
    package var baseURL: String { "\(certificate == nil ? "http" : "https")://\(authority)" }

    /// `127.0.0.1:PORT`.
    package var authority: String { "\(host):\(port)" }

    /// A GET in clear text.
    package func request(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
    }

    /// The requests so far, in the order of their arrival.
    package var requests: [HTTPRequest] { state.state.requests }

    /// The paths of the requests so far, query included, in the order of their arrival.
    package var requestedPaths: [String] { requests.compactMap(\.path) }

    /// Forgets the requests so far.
    package func forgetRequests() {
        state.update { $0.requests = [] }
    }

    /// Waits until at least `count` requests have arrived since the start or ``forgetRequests()``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func waitForRequests(_ count: Int) async throws {
        try await state.wait(while: { $0.requests.count < count })
    }

    /// Uses `route` for `path`, without query, in place of an earlier one. A route that throws gives a 500.
    package func route(_ path: String, to route: @escaping Route) {
        self.route(path, receiving: { request, _ in try await route(request) })
    }

    /// The same, for a route that needs the request's content.
    package func route(_ path: String, receiving route: @escaping ContentRoute) {
        state.update { $0.routes[path] = route }
    }

    /// Always sends `response` for `path`, without query.
    package func route(_ path: String, to response: ScriptedResponse) {
        route(path) { _ in response }
    }

    /// Serves paths without a route from `files`, or with 404 when that is nil.
    package func serve(_ files: OriginFiles?) {
        state.update { $0.files = files }
    }

    /// Makes the next `count` requests for `path`, without query, fail in all of these ways; an empty list ends the
    /// failures.
    package func fail(_ path: String, with faults: [OriginFault], count: Int = .max) {
        state.update { $0.faults[path] = faults.isEmpty ? nil : (faults, count) }
    }

    /// Responds with 401 from now on to requests without this value of `Authorization`.
    package func require(_ authorization: String) {
        state.update { $0.authorization = authorization }
    }

    /// Starts listening; returns as soon as connections are accepted. Call it only when the server is stopped.
    ///
    /// - Throws: ``ReservedPort/Failure`` or NIO's error when the port can't be bound, or when the certificate can't be read.
    package func start() async throws {
        let tls = try certificate?.serverContext()
        if port == 0 {
            let reservation = try ReservedPort()
            state.update { ($0.port, $0.reservation) = (reservation.number, reservation) }
        }
        let listener = try await OriginListener(host: host, port: port, tls: tls) { [self] request, content in
            try await delivery(to: request, content)
        }
        state.update { $0.listener = listener }
    }

    /// Stops listening, closes every connection, and returns when both are done: connections are refused from then on.
    /// Does nothing when the server is already stopped.
    package func stop() async {
        let listener = state.update { state in
            defer { state.listener = nil }
            return state.listener
        }
        await listener?.stop()
    }

    private func delivery(to request: HTTPRequest, _ content: [UInt8]) async throws -> OriginDelivery {
        let path = String((request.path ?? "/").prefix { $0 != "?" })
        let (route, files, faults) = record(request, path: path)
        let response = try await response(to: request, content, route: route, files: files, faults: faults)
        accessLog?(request, response.status)
        return OriginDelivery(of: response, to: request.method, faults: faults, date: clock())
    }

    private func record(_ request: HTTPRequest, path: String) -> (ContentRoute?, OriginFiles?, [OriginFault]) {
        state.update { state in
            state.requests.append(request)
            guard let (faults, remaining) = state.faults[path] else { return (state.routes[path], state.files, []) }
            state.faults[path] = remaining > 1 ? (faults, remaining - 1) : nil
            return (state.routes[path], state.files, faults)
        }
    }

    private func response(
        to request: HTTPRequest,
        _ content: [UInt8],
        route: ContentRoute?,
        files: OriginFiles?,
        faults: [OriginFault]
    ) async throws -> ScriptedResponse {
        if let authorization = state.state.authorization, request.headerFields[.authorization] != authorization {
            return ScriptedResponse("no", status: .unauthorized)
        }
        for fault in faults {
            switch fault {
            case .hold(let latch): try await latch.wait()
            case .status(let status): return ScriptedResponse(status: status)
            case .close, .announceLength, .chunked: continue
            }
        }
        guard let route else { return files?.response(to: request) ?? .notFound }
        do {
            return try await route(request, content)
        } catch {
            return ScriptedResponse("\(error)\n", status: .internalServerError)
        }
    }
}

/// Starts an origin, passes it to `body`, and stops it, whatever `body` did.
///
/// - Throws: NIO's error when no port can be bound, and what `body` throws.
package func withOriginServer<Result>(
    files: OriginFiles? = nil,
    certificate: TestCertificate? = nil,
    clock: @escaping @Sendable () -> Date = { Date() },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (OriginServer) async throws -> Result
) async throws -> Result {
    let origin = OriginServer(files: files, certificate: certificate, clock: clock)
    try await origin.start()
    return try await withCleanup {
        try await body(origin)
    } cleanUp: {
        await origin.stop()
    }
}

/// A way in which an origin fails.
package enum OriginFault: Sendable {
    /// Sends the head and exactly this many bytes of the body, then closes the connection.
    case close(afterBodyBytes: Int)
    /// Doesn't respond before the latch is open.
    case hold(Latch)
    /// Announces this `Content-Length` whatever the body's real length, and closes the connection after the body.
    case announceLength(Int)
    /// Responds with this status and an empty body instead of the real response.
    case status(HTTPResponse.Status)
    /// Sends the body with `Transfer-Encoding: chunked`, so that the client doesn't know its length.
    case chunked
}
