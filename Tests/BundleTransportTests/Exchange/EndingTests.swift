import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleTransport

@Suite("An exchange ends")
struct EndingTests {
    private static let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n"

    @Test("with a clear error when the origin resets it, at each byte", arguments: [false, true])
    func cut(isReset: Bool) async throws {
        let count = Self.response.utf8.count
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.raw.send(Array(Self.response.utf8.prefix(peer.number)))
            if isReset { try await peer.reset() }
        } _: { origin in
            try await withTransport { transport in
                for _ in 0..<count {
                    let error = await #expect(throws: BundleError.self) { try await transport.read(origin.call()) }
                    #expect(error?.code == .networkUnavailable)
                }
            }
        }
    }

    @Test(
        "when the origin is silent for too long, at each stage",
        arguments: [
            "", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        ]
    )
    func silence(_ sent: String) async throws {
        var limits = TransportLimits()
        (limits.firstByte, limits.silence) = (sent.isEmpty ? .milliseconds(60) : .seconds(30), .milliseconds(50))
        let limit = sent.isEmpty ? "0.06" : "0.05"
        try await withTransport(limits) { try await $0.expectSilence(after: sent, limit: limit) }
    }

    @Test("when its head takes too long, although its bytes keep coming")
    func slowHead() async throws {
        var limits = TransportLimits()
        limits.silence = .milliseconds(50)
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nX: ")
            // It ends when the transport has closed the connection.
            try await eventually("the end of the connection", every: .milliseconds(1)) {
                try await peer.send("a")
                return false
            }
        } _: { origin in
            try await withTransport(limits) { transport in
                await #expect(throws: BundleError.self) { try await transport.read(origin.call()) }
            }
        }
    }

    @Test("later than any silence when it is an event stream")
    func longLived() async throws {
        var limits = TransportLimits()
        limits.silence = .nanoseconds(1)
        try await withTransport(limits) { try await $0.expectEvents(of: "text/event-stream; charset=utf-8") }
    }

    @Test(
        "when nobody reads the response, at once",
        arguments: ["Content-Length: 50000", "Transfer-Encoding: chunked"]
    )
    func dropped(_ field: String) async throws {
        try await withTransport { try await $0.expectEndOfUnread(field) }
    }

    @Test("and keeps the connection, when the rest of a response that nobody reads is short")
    func drained() async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            try await latch.wait()
            try await peer.send("hello")
            while true {
                _ = try await peer.head()
                try await peer.respond("again")
            }
        } _: { origin in
            var limits = TransportLimits()
            limits.connectionsPerOrigin = 1
            limits.draining = .seconds(30)
            try await withTransport(limits) { transport in
                _ = try await transport.send(origin.call())
                latch.open()
                let text = try await transport.read(origin.call()).text
                #expect(text == "again")
            }
            #expect(origin.connections.state.count == 1)
        }
    }

    @Test("when its task is cancelled, and its connection with it", arguments: ["", "HTTP/1.1 200 OK\r\n\r\nabc"])
    func cancelled(_ sent: String) async throws {
        try await withTransport { try await $0.expectCancellation(after: sent) }
    }

    @Test("without a descriptor or a connection left, however the origin behaves")
    func descriptors() async throws {
        let replies = [
            "", "H", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na", "HTTP/1.1 101 X\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabHTTP/1.1 200 OK\r\n\r\n", Self.response,
        ]
        try await withTalkingOrigin { peer in
            if peer.number % 9 != 0 { _ = try await peer.head() }
            try await peer.send(replies[peer.number % replies.count])
            if peer.number % 2 == 0 { try await peer.reset() }
        } _: { origin in
            let before = try Self.descriptorCount()
            try await withTransport { transport in
                await withDiscardingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask { for _ in 0..<50 { _ = try? await transport.read(origin.call()) } }
                    }
                }
                try await origin.waitForEnds()
            }
            let after = try Self.descriptorCount()
            // Other tests of the process open some meanwhile; these were 400 exchanges.
            #expect(after <= before + 32)
        }
    }

    private static func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
