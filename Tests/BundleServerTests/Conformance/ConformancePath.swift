import BundleTesting
import Testing

/// The ways of a request through the server.
enum ConformancePath: String, Sendable, CaseIterable {
    /// Clear text, on a connection that stays in the event loop.
    case loop
    /// Clear text, on a connection that has migrated to a channel.
    case channel
    /// HTTP/1.1 over TLS.
    case http1OverTLS
    /// HTTP/2 over TLS.
    case http2OverTLS
    /// HTTP/2 in clear text, with prior knowledge.
    case http2

    var isSecure: Bool { self == .http1OverTLS || self == .http2OverTLS }

    /// The responses to a request the first time, and the second time, when the response may have been kept.
    func responses(to request: ConformanceRequest, from servers: ConformanceServers) async throws -> [RawResponse] {
        switch self {
        case .loop:
            try await withRawConnection(to: servers.plain.port) { try await Self.responses(to: request, on: $0) }
        case .channel:
            try await withRawConnection(to: servers.plain.port) { connection async throws in
                _ = try await connection.get("/shop/digits.bin", ["Range: bytes=0-0"])
                return try await Self.responses(to: request, on: connection)
            }
        case .http1OverTLS:
            try await withRawConnection(to: servers.secure.port, offering: "http/1.1") { connection in
                try await Self.responses(to: request, on: connection)
            }
        case .http2OverTLS:
            try await withRawConnection(to: servers.secure.port, offering: "h2") { connection in
                try await Self.answersOverHTTP2(to: request, on: connection)
            }
        case .http2:
            try await withRawConnection(to: servers.plain.port) { connection in
                try await Self.answersOverHTTP2(to: request, on: connection)
            }
        }
    }

    /// After each response another request shows that nothing followed it.
    private static func responses(
        to request: ConformanceRequest,
        on connection: RawConnection
    ) async throws -> [RawResponse] {
        var responses: [RawResponse] = []
        while responses.count < 2 {
            try await connection.send(request.head)
            let response = try await connection.response(toHead: request.method == "HEAD")
            responses.append(response)
            guard response["connection"] != "close" else {
                #expect(try await connection.rest().isEmpty)
                break
            }
            #expect(try await connection.get("/shop/digits.bin").text == "0123456789")
        }
        return responses
    }

    private static func answersOverHTTP2(
        to request: ConformanceRequest,
        on connection: RawConnection
    ) async throws -> [RawResponse] {
        let client = try HTTP2Client(connection)
        try await client.open()
        var responses: [RawResponse] = []
        for stream: UInt32 in [1, 3] {
            try await client.send(.headers(request.fieldList, stream: stream))
            responses.append(try await client.response(on: stream))
        }
        return responses
    }
}
