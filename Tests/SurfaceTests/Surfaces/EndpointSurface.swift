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

    func send(_ request: ConformanceRequest) async throws -> RawResponse {
        var call = request
        call.host = "shop.localhost:\(port)"
        call.fields.append(("Connection", "close"))
        return try await withRawConnection(to: port) { [call] connection in
            try await connection.send(call.head)
            // A server that responds before it has the content ends the connection with the response (RFC 9112 §9.6).
            for piece in call.framedPieces { try? await connection.send(piece) }
            return try await connection.response(toHead: request.method == "HEAD")
        }
    }

    func update() async throws { try await bundlectl.change("update", self, to: "Shop 2") }

    func rollBack() async throws { try await bundlectl.change("rollback", self, to: "Shop 1") }

    func setRules(_ json: String) async throws { throw NoSuchStep() }

    func close() async throws { _ = try await server.terminate() }
}
