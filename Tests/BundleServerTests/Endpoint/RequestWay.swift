import BundleTesting

@testable import BundleServer

/// The driver of a request: a loop, HTTP/1 on a channel, or HTTP/2.
enum RequestWay: String, Sendable, CaseIterable {
    case loop, channel, http2
}

extension RunningEndpoint {
    typealias Get = (_ path: String, _ host: String, _ fields: [(String, String)]) async throws ->
        RawResponse

    /// Passes on a function that sends requests on one connection.
    func ask(_ way: RequestWay, _ body: (Get) async throws -> Void) async throws {
        if way == .http2 {
            return try await withHTTP2Client(to: port) { client in
                var stream: UInt32 = 1
                try await body { path, host, fields in
                    let head = [(":method", "GET"), (":scheme", "http"), (":authority", host), (":path", path)]
                    try await client.send(.headers(head + fields, stream: stream))
                    defer { stream += 2 }
                    return try await client.response(on: stream)
                }
            }
        }
        try await withRawConnection(to: port) { connection async throws in
            if way == .channel { _ = try await connection.get("/app.js", host: "shop.localhost", ["Range: bytes=0-0"]) }
            try await body { path, host, fields in
                try await connection.get(path, host: host, fields.map { "\($0.0): \($0.1)" })
            }
        }
    }
}
