import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("The access log of HTTP/2")
struct HTTP2RecordTests {
    private static let url = "https://m.example.com/shop/data"

    private let network = ScriptedTransport()
    private let latch = Latch()

    @Test("a response is recorded at its end, with the bytes sent")
    func sent() async throws {
        let lines = try await log { client in
            try await client.send(.get("/shop/app.js", stream: 1))
            _ = try await client.head(on: 1)
            #expect(try await client.frame(on: 1).payload == Array("ru".utf8))
            try await client.send(.get("/shop/app.js", stream: 3), .windowUpdate(3, stream: 3))
            #expect(try await client.response(on: 3).text == "run()")
            try await client.send(.reset(1), .headers(HTTP2Frame.request("HEAD", "/shop/app.js"), stream: 5))
            #expect(try await client.response(on: 5).status == 200)
        }
        #expect(lines == ["GET 200 5 active", "GET 200 2 active", "HEAD 200 0 active"])
    }

    @Test("a request that is cancelled before its response is recorded as 499, as in nginx")
    func givenUp() async throws {
        network.response(Self.url) { [latch] _ in
            try await latch.wait()
            return OriginResponse(.ok, [.cacheControl: "no-store"], "late")
        }
        let lines = try await log { client in
            try await client.send(.get("/shop/data", stream: 1), .get("/shop/data", stream: 3))
            try await latch.waitForArrivals()
            try await client.send(.reset(1), .headers(HTTP2Frame.request("HEAD", "/shop/app.js"), stream: 5))
            #expect(try await client.response(on: 5).status == 200)
            // The other one is cancelled with the connection.
        }
        latch.open()
        #expect(lines == ["GET 499 0 server", "HEAD 200 0 active", "GET 499 0 server"])
    }

    @Test("relayed content is counted as it is sent")
    func relayed() async throws {
        network.response(Self.url) { _ in
            let chunks = AsyncStream { continuation in
                for chunk in [[UInt8(1)], [2, 3, 4]] { continuation.yield(chunk) }
                continuation.finish()
            }
            let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"])
            return OriginResponse(head: head, body: BodyStream(chunks))
        }
        let lines = try await log { client in
            try await client.send(.get("/shop/data", stream: 1))
            _ = try await client.head(on: 1)
            for byte: UInt8 in 1...2 { #expect(try await client.frame(on: 1).payload == [byte]) }
        }
        #expect(lines == ["GET 200 2 network"])
    }

    /// The log of a connection whose streams have windows of two bytes: method, status, bytes and layer.
    private func log(_ body: (HTTP2Client) async throws -> Void) async throws -> [String] {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "access.log")
            try await withStore { store in
                try store.installShop()
                let configure = { (configuration: inout BundleEndpoint.Configuration) in
                    (configuration.accessLogPath, configuration.accessLogFormat) = (path, .json)
                }
                try await withEndpoint(store, transport: network, configure: configure) { endpoint in
                    try await withHTTP2Client(to: endpoint.port, [4: 2]) { try await body($0) }
                }
            }
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
                let record = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
                return "\(record.method) \(record.status) \(record.bytes) \(record.layer)"
            }
        }
    }

    private struct Line: Decodable {
        let method: String
        let status: Int
        let bytes: Int
        let layer: String
    }
}
