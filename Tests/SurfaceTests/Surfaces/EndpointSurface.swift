import BundleTesting
import Foundation

/// `bundlectl serve`, over HTTP/1.1, at the bundle's own host.
final class EndpointSurface: Surface {
    private static let program = BuiltProducts.path(of: "bundlectl")

    private let server: ChildProcess
    private let port: Int
    private let environment: [String: String]

    init(_ world: SurfaceWorld) async throws {
        environment = ProcessInfo.processInfo.environment.merging(["BUNDLECTL_STORE": world.store]) { $1 }
        server = try ChildProcess(
            Self.program,
            ["serve", "--listen", "127.0.0.1:0", "--development", "--origin-retries", "0"],
            environment: environment
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

    func update() async throws { try await change("update", to: "Shop 2") }

    func rollBack() async throws { try await change("rollback", to: "Shop 1") }

    func close() async throws { _ = try await server.terminate() }

    /// Runs a verb, and waits until the server has noticed.
    private func change(_ verb: String, to title: String) async throws {
        let result = try await ChildProcess.run(Self.program, [verb, "shop"], environment: environment)
        guard result.exitCode == 0 else { throw Failure(message: result.errorOutput) }
        for _ in 0..<10_000 {
            let page = try await send(SurfaceRequest(path: "", isPage: true))
            if String(decoding: page.body, as: UTF8.self).contains(title) { return }
        }
        throw Failure(message: "the server hasn't noticed “\(verb)”")
    }

    private struct Failure: Error {
        let message: String
    }
}
