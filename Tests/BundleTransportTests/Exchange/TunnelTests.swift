import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleTransport

@Suite("A switch of protocols")
struct TunnelTests {
    private static let fields: HTTPFields = [.upgrade: "echo", .connection: "keep-alive, Upgrade"]
    private static let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"

    @Test("makes a tunnel, with the bytes that come with the head; each direction ends on its own")
    func tunnel() async throws {
        // Neither side sends for longer than a response may be silent.
        var limits = TransportLimits()
        (limits.silence, limits.firstByte) = (.milliseconds(1), .seconds(30))
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send(Self.head + "early ")
            let received = try await peer.raw.bytes(3)
            try await latch.wait()
            try await peer.raw.send(received)
            peer.raw.finish()
            let rest = try await peer.raw.rest()
            #expect(rest == Array("def".utf8))
        } _: { origin in
            try await withTransport(limits) { transport in
                let response = try await transport.send(OriginCall(origin.request(.get, "/", Self.fields)))
                #expect(response.head.status.code == 101)
                #expect(response.head.headerFields[.upgrade] == "echo")
                let tunnel = try #require(response.tunnel)
                var incoming = tunnel.incoming.makeAsyncIterator()
                #expect(try await incoming.next() == Array("early ".utf8))
                try await tunnel.send(Array("abc".utf8))
                try await latch.waitForArrivals()
                latch.open()
                #expect(try await incoming.next() == Array("abc".utf8))
                #expect(try await incoming.next() == nil)
                try await tunnel.send(Array("def".utf8))
                await tunnel.end()
                try await origin.waitForEnds()
            }
        }
    }

    @Test(
        "that isn't asked for is no response",
        arguments: [[:], [.upgrade: "echo"], [.connection: "upgrade"]] as [HTTPFields]
    )
    func unasked(_ fields: HTTPFields) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send(Self.head)
            await peer.waitForEnd()
        } _: { origin in
            try await withTransport { transport in
                let error = await #expect(throws: BundleError.self) {
                    try await transport.send(OriginCall(origin.request(.get, "/", fields)))
                }
                #expect(error?.message.contains("switches protocols") == true)
                try await origin.waitForEnds()
            }
        }
    }

    @Test("may be refused, which keeps the connection")
    func refused() async throws {
        try await withTalkingOrigin { peer in
            while true {
                _ = try await peer.head()
                try await peer.respond("no")
            }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<2 {
                    let response = try await transport.read(origin.call(.get, Self.fields))
                    #expect(response.text == "no")
                }
            }
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test("is closed when nobody reads it", arguments: [false, true])
    func dropped(hasEnded: Bool) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send(Self.head)
            if hasEnded { peer.raw.finish() }
            await peer.waitForEnd()
        } _: { origin in
            try await withTransport { transport in
                do {
                    let response = try await transport.send(OriginCall(origin.request(.get, "/", Self.fields)))
                    let tunnel = try #require(response.tunnel)
                    if hasEnded { for try await _ in tunnel.incoming {} }
                }
                try await origin.waitForEnds()
            }
        }
    }

    @Test("ends with an error for both directions when the origin vanishes")
    func vanished() async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send(Self.head)
            _ = try await peer.raw.bytes(1)
            try await peer.reset()
        } _: { origin in
            try await withTransport { transport in
                let response = try await transport.send(OriginCall(origin.request(.get, "/", Self.fields)))
                let tunnel = try #require(response.tunnel)
                try await tunnel.send([1])
                await #expect(throws: BundleError.self) { for try await _ in tunnel.incoming {} }
                await #expect(throws: BundleError.self) { while true { try await tunnel.send([1]) } }
            }
        }
    }
}
