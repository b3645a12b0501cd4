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
            ["serve", "--listen", "127.0.0.1:0", "--development", "--origin-retries", "0"],
            environment: bundlectl.environment
        )
        let line = try await server.waitForLine(containing: "listening on ")
        port = line.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    func send(_ request: SurfaceRequest) async throws -> SurfaceResponse {
        let content = request.body.map { Array($0.utf8) }
        let lines =
            ["\(request.method) /\(request.path) HTTP/1.1", "Host: shop.localhost:\(port)", "Connection: close"]
            + request.allFields.map { "\($0.name): \($0.value)" }
            + (content.map { ["Content-Length: \($0.count)"] } ?? [])
        let response = try await withRawConnection(to: port) { connection in
            try await connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (content ?? []))
            return try await connection.response(toHead: request.method == "HEAD")
        }
        return SurfaceResponse(status: response.status, fields: response.fields, body: response.body)
    }

    func update() async throws { try await bundlectl.change("update", self, to: "Shop 2") }

    func rollBack() async throws { try await bundlectl.change("rollback", self, to: "Shop 1") }

    func close() async throws { _ = try await server.terminate() }
}
