import BundleTesting
import Foundation

/// `bundlectl serve`, over HTTP/1.1, at the bundle's own host.
final class EndpointSurface: Surface {
    private let server: ChildProcess
    private let port: Int
    private let bundlectl: BundleVerb

    init(_ world: SurfaceWorld) async throws {
        bundlectl = BundleVerb(store: world.store)
        server = try ChildProcess(
            BundleVerb.program,
            [
                "serve", "--listen", "127.0.0.1:0", "--development", "--origin-retries", "0",
                "--network-rules", world.directory.write(SurfaceWorld.appRules, to: "rules.json"),
            ],
            environment: bundlectl.environment
        )
        let line = try await server.waitForLine(containing: "listening on ")
        port = line.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    func send(_ request: SurfaceRequest) async throws -> SurfaceResponse {
        let lines =
            ["\(request.method) /\(request.path) HTTP/1.1", "Host: shop.localhost:\(port)", "Connection: close"]
            + request.allFields.map { "\($0.name): \($0.value)" } + request.framing
        let response = try await withRawConnection(to: port) { connection in
            try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            // A server that responds before it has the content ends the connection with the response (RFC 9112 §9.6).
            for piece in request.framedPieces { try? await connection.send(piece) }
            return try await connection.response(toHead: request.method == "HEAD")
        }
        return SurfaceResponse(status: response.status, fields: response.fields, body: response.body)
    }

    func update() async throws { try await bundlectl.change("update", self, to: "Shop 2") }

    func rollBack() async throws { try await bundlectl.change("rollback", self, to: "Shop 1") }

    func setRules(_ json: String) async throws { throw NoSuchStep() }

    func close() async throws { _ = try await server.terminate() }
}

extension SurfaceRequest {
    /// The fields that say how long the content is (RFC 9112 §6).
    fileprivate var framing: [String] {
        guard let body else { return [] }
        return [isStreamed ? "Transfer-Encoding: chunked" : "Content-Length: \(body.utf8.count)"]
    }

    /// The content, in chunks (RFC 9112 §7.1) when it is streamed.
    fileprivate var framedPieces: [[UInt8]] {
        guard isStreamed else { return pieces ?? [] }
        let chunks = (pieces ?? []).map { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [13, 10] }
        return chunks + [Array("0\r\n\r\n".utf8)]
    }
}
