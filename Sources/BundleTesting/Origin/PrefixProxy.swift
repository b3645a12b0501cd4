import BundleTransport
import Foundation
import HTTPCore
import HTTPTypes

/// A reverse proxy on 127.0.0.1 that passes the requests below one path on without that path, as nginx does with `location
/// /kiosk/ { proxy_pass http://127.0.0.1:8080/; }`. It follows and changes nothing. Safe to use from any number of tasks at once.
package final class PrefixProxy: Sendable {
    private let listener: OriginListener
    private let target: Monitor<ConnectTarget?>

    /// Starts it. It responds with 502 until it has a target.
    ///
    /// - Parameters:
    ///   - prefix: The path, with a slash at both ends.
    ///   - keepsHost: Whether the request keeps its `Host`, as with `proxy_set_header Host $http_host`.
    /// - Throws: NIO's error when no port can be bound.
    package init(_ prefix: String, keepsHost: Bool = true) async throws {
        let target = Monitor<ConnectTarget?>(nil)
        self.target = target
        listener = try await OriginListener(host: "127.0.0.1", port: 0, tls: nil) { request, content in
            let response = await Self.response(to: request, content, prefix, target.state, keepsHost)
            return OriginDelivery(of: response, to: request.method, faults: [], date: Date())
        }
    }

    /// `http://127.0.0.1:PORT` without a slash at the end.
    package var baseURL: String { "http://127.0.0.1:\(listener.port)" }

    /// Passes requests on to `http://HOST:PORT` from now on.
    package func pass(to address: String) {
        let url = URLComponents(string: address)
        target.update { $0 = ConnectTarget(host: url?.host ?? "", port: url?.port.flatMap(UInt16.init(exactly:))) }
    }

    /// Stops listening, and closes every connection.
    package func stop() async { await listener.stop() }

    private static func response(
        to request: HTTPRequest,
        _ content: [UInt8],
        _ prefix: String,
        _ target: ConnectTarget?,
        _ keepsHost: Bool
    ) async -> ScriptedResponse {
        guard let path = request.path, path.hasPrefix(prefix) else {
            return ScriptedResponse("not below \(prefix)\n", status: .notFound)
        }
        guard let target else { return ScriptedResponse("no target\n", status: .badGateway) }
        let passed = HTTPRequest(
            method: request.method,
            scheme: "http",
            authority: keepsHost ? request.authority : target.address,
            path: "/\(path.dropFirst(prefix.count))",
            headerFields: HTTPFields(request.headerFields.filter { !connectionFields.contains($0.name.canonicalName) })
        )
        var call = OriginCall(passed)
        call.connectTo = target
        if !content.isEmpty {
            call.request.headerFields[.contentLength] = String(content.count)
            call.content = BodyStream(content)
        }
        do {
            let (head, body) = try await transport.response(to: call, atMost: 1 << 24)
            let fields = HTTPFields(head.headerFields.filter { !connectionFields.contains($0.name.canonicalName) })
            return ScriptedResponse(status: head.status, fields: fields, body: body)
        } catch {
            return ScriptedResponse("\(error)\n", status: .badGateway)
        }
    }

    private static let connectionFields: Set = ["connection", "keep-alive", "transfer-encoding", "content-length"]

    /// The connections of all proxies.
    private static let transport = NIOTransport()
}

/// Starts a proxy, passes it to `body`, and stops it, whatever `body` did.
///
/// - Throws: NIO's error when no port can be bound, and what `body` throws.
package func withPrefixProxy<Result>(
    _ prefix: String,
    keepsHost: Bool = true,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PrefixProxy) async throws -> Result
) async throws -> Result {
    let proxy = try await PrefixProxy(prefix, keepsHost: keepsHost)
    return try await withCleanup {
        try await body(proxy)
    } cleanUp: {
        await proxy.stop()
    }
}

extension ConnectTarget {
    /// As a URL has it.
    fileprivate var address: String { host + (port.map { ":\($0)" } ?? "") }
}
