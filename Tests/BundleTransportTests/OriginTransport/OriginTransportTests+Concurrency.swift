import BundleNetwork
import BundleTesting
import HTTPCore
import HTTPTypes
import Testing

/// Many requests at once.
extension OriginTransportTests {
    @Test("keeps slow responses from waiting for each other", arguments: TransportKind.allCases)
    func slowOrigin(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            let latch = Latch()
            origin.route("/") { _ in
                try await latch.wait()
                return ScriptedResponse("hello")
            }
            let request = origin.request("/")
            let responses = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<40 { group.addTask { try await transport.send(request).body.all() } }
                // All are with the origin at the same time; none waits for a connection.
                try await latch.waitForArrivals(40)
                latch.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: Array("hello".utf8), count: 40))
        }
    }

    @Test("serves many requests at once", arguments: TransportKind.allCases)
    func concurrency(_ kind: TransportKind) async throws {
        try await kind.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            let request = origin.request("/")
            let responses = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<100 { group.addTask { try await transport.send(request).body.all() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: Array("hello".utf8), count: 100))
        }
    }
}
