import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// A reverse proxy on 127.0.0.1 that passes the requests below one path on without that path, as nginx does with `location
/// /kiosk/ { proxy_pass http://127.0.0.1:8080/; }`. It follows and changes nothing. Safe to use from any number of tasks at once.
package final class PrefixProxy: Sendable {
    private let listener: OriginListener
    private let target: Monitor<String>

    /// Starts it. It responds with 502 until it has a target.
    ///
    /// - Parameters:
    ///   - prefix: The path, with a slash at both ends.
    ///   - keepsHost: Whether the request keeps its `Host`, as with `proxy_set_header Host $http_host`.
    /// - Throws: NIO's error when no port can be bound.
    package init(_ prefix: String, keepsHost: Bool = true) async throws {
        let target = Monitor("")
        self.target = target
        listener = try await OriginListener(host: "127.0.0.1", port: 0, tls: nil) { request, content in
            let response = await Self.response(to: request, content, prefix, target.state, keepsHost)
            return OriginDelivery(of: response, to: request.method, faults: [], date: Date())
        }
    }

    /// `http://127.0.0.1:PORT` without a slash at the end.
    package var baseURL: String { "http://127.0.0.1:\(listener.port)" }

    /// Passes requests on to this address, which has no slash at its end, from now on.
    package func pass(to address: String) { target.update { $0 = address } }

    /// Stops listening, and closes every connection.
    package func stop() async { await listener.stop() }

    private static func response(
        to request: HTTPRequest,
        _ content: [UInt8],
        _ prefix: String,
        _ target: String,
        _ keepsHost: Bool
    ) async -> ScriptedResponse {
        guard let path = request.path, path.hasPrefix(prefix) else {
            return ScriptedResponse("not below \(prefix)\n", status: .notFound)
        }
        var passed = HTTPClientRequest(url: "\(target)/\(path.dropFirst(prefix.count))")
        passed.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { passed.headers.add(name: field.name.rawName, value: field.value) }
        if keepsHost, let host = request.authority { passed.headers.replaceOrAdd(name: "Host", value: host) }
        if !content.isEmpty { passed.body = .bytes(ByteBuffer(bytes: content)) }
        do {
            let response = try await client.execute(passed, timeout: .seconds(30))
            var fields = HTTPFields()
            for (name, value) in response.headers where !connectionFields.contains(name.lowercased()) {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            let body = try await response.body.collect(upTo: 1 << 24)
            let status = HTTPResponse.Status(code: Int(response.status.code))
            return ScriptedResponse(status: status, fields: fields, body: Array(body.readableBytesView))
        } catch {
            return ScriptedResponse("\(error)\n", status: .badGateway)
        }
    }

    private static let connectionFields: Set = ["connection", "keep-alive", "transfer-encoding", "content-length"]

    /// It follows no redirects, and has the connections of all proxies.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
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
    do {
        let result = try await body(proxy)
        await proxy.stop()
        return result
    } catch {
        await proxy.stop()
        throw error
    }
}
