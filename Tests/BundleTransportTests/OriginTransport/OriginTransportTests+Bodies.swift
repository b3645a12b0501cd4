import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import OfflineBundles
import Testing

/// The bodies of responses, as they arrive, and what follows them.
extension OriginTransportTests {
    @Test("has the head before the body's end, and passes the body on in parts", arguments: TransportKind.allCases)
    func streaming(_ kind: TransportKind) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 32000003\r\n\r\nabc")
            try await latch.wait()
            for _ in 0..<320 { try await peer.raw.send([UInt8](repeating: 7, count: 100_000)) }
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let response = try await transport.send(origin.request())
                var (chunks, count) = (0, 0)
                for try await chunk in response.body {
                    latch.open()
                    chunks += 1
                    count += chunk.count
                }
                #expect(chunks > 1)
                #expect(count == 32_000_003)
            }
        }
    }

    @Test("receives no faster than is read, or keeps what arrives", arguments: TransportKind.allCases)
    func backPressure(_ kind: TransportKind) async throws {
        let isSent = Monitor(false)
        let count = 640
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(count * 100_000)\r\n\r\n")
            for _ in 0..<count { try await peer.raw.send([UInt8](repeating: 7, count: 100_000)) }
            isSent.update { $0 = true }
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let response = try await transport.send(origin.request())
                if kind.keeps(.waitsForReader) {
                    #expect(!isSent.state)
                } else {
                    // It all arrives although nobody reads it.
                    try await isSent.wait { !$0 }
                }
                var received = 0
                for try await chunk in response.body { received += chunk.count }
                #expect(received == count * 100_000)
            }
        }
    }

    @Test("breaks a response off that arrives faster than it is read, above a limit, where it can't wait")
    func excess() async throws {
        #expect(!TransportKind.urlSession.keeps(.waitsForReader))
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 640000000\r\n\r\n")
            while true { try await peer.raw.send([UInt8](repeating: 7, count: 100_000)) }
        } _: { origin in
            let response = try await URLSessionTransport(maximumUnreadByteCount: 2_000_000).send(origin.request())
            try await origin.waitForEnds()
            let error = await #expect(throws: BundleError.self) { try await response.body.all() }
            #expect(error?.message.contains("more than 2000000 bytes arrived before they were read") == true)
        }
    }

    @Test("passes trailers on")
    func trailers() async throws {
        try await Self.withTrailers { response in
            let name = try #require(HTTPField.Name("X-Sum"))
            #expect(try await response.body.all() == Array("a".utf8))
            #expect(response.body.trailers[name] == "2")
        }
    }

    /// What Foundation on Linux does with trailers can't be prevented: it ends the process.
    @Test("has no trailers on URLSession: on Linux they end the process")
    func trailersOfURLSession() async throws {
        #expect(!TransportKind.urlSession.keeps(.passesTrailers))
        #if canImport(FoundationNetworking)
            await #expect(processExitsWith: .failure) {
                try await Self.withTrailers(.urlSession) { _ = try await $0.body.all() }
            }
        #else
            try await Self.withTrailers(.urlSession) { #expect(try await $0.body.all() == Array("a".utf8)) }
        #endif
    }

    private static func withTrailers(
        _ kind: TransportKind = .nio,
        _ body: (OriginResponse) async throws -> Void
    ) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 2\r\n\r\n")
        } _: { origin in
            try await kind.withTransport { try await body(try await $0.send(origin.call())) }
        }
    }
}
