import BundleModel
import BundleNetwork
import BundleTesting
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleTransport

@Suite("Kept connections")
struct KeptConnectionTests {
    @Test("are used again, the last one first")
    func reuse() async throws {
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await peer.respond("\(peer.number)")
            }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<60 {
                    let response = try await transport.read(origin.call())
                    #expect(response.text == "0")
                }
            }
            try await origin.waitForEnds()
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test("that the origin closes without a response cost no request that can be repeated", arguments: [false, true])
    func repeating(isReset: Bool) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.respond("hello")
            // With the next request on it, the connection turns out to be closed.
            _ = try await peer.head()
            if isReset { try await peer.reset() }
        } _: { origin in
            try await withTransport { transport in
                var count = 0
                for _ in 0..<60 {
                    if try await transport.read(origin.call()).text == "hello" { count += 1 }
                }
                // With the client before this one it was 30 of 60.
                #expect(count == 60)
            }
            #expect(origin.connections.state.count == 60)
        }
    }

    @Test("are left once they are known to be closed, also for a POST")
    func knownToBeClosed() async throws {
        try await withTalkingOrigin { peer in
            let request = try await peer.request()
            try await peer.respond(String(decoding: request.body, as: UTF8.self))
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<20 {
                    let text = try await transport.read(origin.call(.post, content: [Array("a".utf8)])).text
                    #expect(text == "a")
                    try await origin.waitForEnds()
                }
            }
        }
    }

    @Test(
        "that are closed without a response cost a request that can't be repeated, which the origin gets once",
        arguments: [(HTTPRequest.Method.post, nil), (.patch, nil), (.post, "a"), (.put, "a"), (.delete, "a")]
            as [(HTTPRequest.Method, String?)]
    )
    func notRepeating(_ method: HTTPRequest.Method, _ content: String?) async throws {
        let seen = Monitor<[String]>([])
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.respond("hello")
            let line = try await peer.request().statusLine
            seen.update { $0.append(line) }
        } _: { origin in
            try await withTransport { transport in
                _ = try await transport.read(origin.call())
                let call = origin.call(method, content: content.map { [Array($0.utf8)] })
                let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                #expect(error?.code == .networkUnavailable)
                #expect(seen.state == ["\(method.rawValue) / HTTP/1.1"])
            }
        }
    }

    @Test(
        "are those that both sides keep",
        arguments: [
            ("", "", 1), ("Connection: close\r\n", "", 3), ("Connection: Keep-Alive, Close\r\n", "", 3),
            ("", "close", 3), ("", "keep-alive", 1),
        ]
    )
    func closing(_ field: String, _ option: String, _ count: Int) async throws {
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await peer.respond("hello", field)
            }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<3 {
                    _ = try await transport.read(origin.call(.get, option.isEmpty ? [:] : [.connection: option]))
                }
            }
            #expect(origin.connections.state.count == count)
        }
    }

    @Test("are closed when no request comes")
    func idling() async throws {
        var limits = TransportLimits()
        limits.idling = .milliseconds(10)
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.respond("hello")
            await peer.waitForEnd()
        } _: { origin in
            try await withTransport(limits) { transport in
                _ = try await transport.read(origin.call())
                try await origin.waitForEnds()
            }
        }
    }

    @Test("wait for a request that waits for one, and no longer than the limit of connecting")
    func waiting() async throws {
        var limits = TransportLimits()
        limits.connectionsPerOrigin = 1
        // The first request has to connect in that time, too, while other tests run.
        limits.connecting = .seconds(3)
        let latch = Latch()
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await latch.wait()
                try await peer.respond("hello")
            }
        } _: { origin in
            try await withTransport(limits) { transport in
                let call = origin.call()
                let first = Task { try await transport.read(call).text }
                try await latch.waitForArrivals()
                let error = await #expect(throws: BundleError.self) { try await transport.read(call) }
                #expect(error?.message.contains("no connection within 3.0 seconds") == true)
                let cancelled = Task { try await transport.read(call) }
                cancelled.cancel()
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                async let second = transport.read(call).text
                latch.open()
                #expect(try await first.value == "hello")
                #expect(try await second == "hello")
            }
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test("of other origins are closed when there are too many")
    func eviction() async throws {
        var limits = TransportLimits()
        limits.connections = 3
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await peer.respond("hello")
            }
        } _: { origin in
            try await withTransport(limits) { transport in
                for number in 0..<10 {
                    var call = origin.call()
                    call.request.authority = "localhost\(number):80"
                    call.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
                    let text = try await transport.read(call).text
                    #expect(text == "hello")
                }
                #expect(origin.connections.state.count == 10)
                _ = try await origin.connections.wait(for: "the ends of all but 3", deadline: .seconds(30)) {
                    $0.count - $0.ended <= 3 ? () : nil
                }
            }
        }
    }

    @Test("are kept although requests to another origin wait for a connection")
    func othersWaiting() async throws {
        var limits = TransportLimits()
        limits.connectionsPerOrigin = 1
        // All of them wait for a connection until the latch opens.
        limits.connecting = .seconds(60)
        let latch = Latch()
        try await withTalkingOrigin { peer in
            while true {
                if try await peer.head()["host"] == "slow" { try await latch.wait() }
                try await peer.respond("\(peer.number)")
            }
        } _: { origin in
            try await withTransport(limits) { transport in
                var slow = origin.call()
                slow.request.authority = "slow"
                slow.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
                let waiting = (0..<3).map { [slow] _ in Task { try await transport.read(slow).text } }
                try await latch.waitForArrivals()
                for _ in 0..<5 { _ = try await transport.read(origin.call()) }
                #expect(origin.connections.state.count == 2)
                latch.open()
                for task in waiting {
                    let text = try await task.value
                    #expect(text == "0")
                }
            }
        }
    }

    @Test("of a slow origin leave room for those of others")
    func fairness() async throws {
        var limits = TransportLimits()
        limits.connections = 8
        // Most of them wait for a connection until the latch opens.
        limits.connecting = .seconds(60)
        let latch = Latch()
        try await withTalkingOrigin { peer in
            while true {
                if try await peer.head()["host"] != "other" { try await latch.wait() }
                try await peer.respond("hello")
            }
        } _: { origin in
            try await withTransport(limits) { transport in
                let call = origin.call()
                let slow = (0..<20).map { _ in Task { try? await transport.read(call).text } }
                // Half of what there is.
                try await latch.waitForArrivals(4)
                var other = call
                other.request.authority = "other"
                other.connectTo = ConnectTarget(host: "127.0.0.1", port: UInt16(origin.port))
                // Between them the connection is idle, and the slow ones must not take it over.
                for _ in 0..<5 {
                    let text = try await transport.read(other).text
                    #expect(text == "hello")
                }
                #expect(origin.connections.state.count == 5)
                latch.open()
                for task in slow { #expect(await task.value == "hello") }
            }
        }
    }
}
