import BundleModel
import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import BundleTransport

/// What clients get, and what is stored, when an origin misbehaves.
@Suite("The fallback to an origin that misbehaves")
struct HostileFallbackTests {
    /// How an origin responds to a request, whose head has been read.
    struct Behaviour: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the client gets; nil for an error.
        let text: String?
        /// Whether the client must give up waiting.
        let stalls: Bool
        let serve: @Sendable (Peer) async throws -> Void

        init(
            _ name: String,
            _ text: String?,
            stalls: Bool = false,
            _ serve: @escaping @Sendable (Peer) async throws -> Void
        ) {
            (testDescription, self.text, self.stalls, self.serve) = (name, text, stalls, serve)
        }

        /// Sends this and ends the connection.
        init(_ name: String, _ text: String?, sending reply: String) {
            self.init(name, text) { try await $0.send(reply) }
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
    private static let whole = head + "Content-Length: 3\r\n\r\nabc"
    private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

    static let behaviours: [Behaviour] = [
        .init("stalls before the head", nil, stalls: true) { await $0.waitForEnd() },
        .init("stalls in the head", nil, stalls: true) {
            try await $0.send(head)
            await $0.waitForEnd()
        },
        .init("stalls in the content", nil, stalls: true) {
            try await $0.send(head + "Content-Length: 3\r\n\r\nab")
            await $0.waitForEnd()
        },
        .init("says too long a length", nil, sending: head + "Content-Length: 4\r\n\r\nabc"),
        .init("says too short a length", "ab", sending: head + "Content-Length: 2\r\n\r\nabc"),
        .init("says two lengths", nil, sending: head + "Content-Length: 3\r\nContent-Length: 2\r\n\r\nabc"),
        .init(
            "says a length and chunks",
            nil,
            sending: head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        .init("says too long a chunk", nil, sending: chunked + "4\r\nabc\r\n0\r\n\r\n"),
        .init("says too short a chunk", nil, sending: chunked + "2\r\nabc\r\n0\r\n\r\n"),
        .init("leaves out the last chunk", nil, sending: chunked + "3\r\nabc\r\n"),
        .init("drips", "abc") { peer in
            for byte in whole.utf8 { try await peer.raw.send([byte]) }
        },
        .init("drips chunks", "abc") { peer in
            for byte in (chunked + "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n").utf8 { try await peer.raw.send([byte]) }
        },
        .init("sends garbage", nil, sending: "\u{0}\u{1}garbage\r\n\r\n"),
        .init("speaks TLS", nil, sending: "\u{16}\u{3}\u{1}\u{0}\u{5}hello"),
        .init("sends a part that nobody asked for", nil, sending: "HTTP/1.1 206 X\r\nContent-Length: 1\r\n\r\na"),
        .init("confirms what isn't stored", nil, sending: "HTTP/1.1 304 X\r\n\r\n"),
        .init("switches protocols without a request", nil, sending: "HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\nabc"),
        .init("sends another response behind its own", "abc", sending: whole + head + "Content-Length: 3\r\n\r\nxyz"),
    ]

    private func withResponders(
        _ script: @escaping @Sendable (Peer) async throws -> Void,
        silence: Duration = .seconds(30),
        maximumByteCount: Int64 = 1 << 20,
        _ body: (_ url: String, _ online: LayeredResponder, _ offline: LayeredResponder) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withTalkingOrigin(script) { origin in
                let store = try BundleStore(at: directory.path, creating: true)
                let manifest = #""origins": [{"url": "http://\#(origin.authority)/", "path": "/"}]"#
                try store.install(try BundleManifest.sample("shop", "1", manifest), files: ["index.html": ""])
                var limits = TransportLimits()
                (limits.firstByte, limits.silence) = (silence, silence)
                try await withTransport(limits) { transport in
                    func responder(_ transport: NIOTransport?) -> LayeredResponder {
                        LayeredResponder(store, transport: transport, maximumCachedByteCount: maximumByteCount)
                    }
                    let (online, offline) = (responder(transport), responder(nil))
                    try await body("http://\(origin.authority)/", online, offline)
                    // No fetch is left; what is stored is intact.
                    try await eventually { online.fallback.coordinator.sharedFetches.isEmpty }
                    await online.fallback.cache.flush()
                    #expect(try store.verify().isEmpty)
                }
                try await origin.waitForEnds()
            }
        }
    }

    /// The text of a response; nil for an error, before the response or in it.
    private func text(of url: String, _ responder: LayeredResponder) async throws -> String? {
        switch try await responder.load(url) {
        case .complete(let response, _):
            return response.head.status == .ok ? String(decoding: response.body.array, as: UTF8.self) : nil
        case .streaming(let head, let body, _):
            guard head.status == .ok else { return nil }
            let bytes = try? await body.reduce(into: [UInt8]()) { $0 += $1 }
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        case .switching: return nil
        }
    }

    @Test("gives the right response or an error, and stores nothing wrong", arguments: behaviours)
    func behaviour(_ behaviour: Behaviour) async throws {
        try await withResponders(
            { peer in
                _ = try await peer.head()
                try await behaviour.serve(peer)
            },
            silence: behaviour.stalls ? .milliseconds(200) : .seconds(30)
        ) { url, online, offline in
            for path in ["a", "b"] {
                let received = try await text(of: url + path, online)
                #expect(received == behaviour.text)
                await online.fallback.cache.flush()
                let stored = try await text(of: url + path, offline)
                #expect(stored == behaviour.text)
            }
        }
    }

    @Test(
        "gives an error wherever it breaks off, and stores nothing",
        arguments: [whole, chunked + "3\r\nabc\r\n0\r\n\r\n"]
    )
    func cut(_ response: String) async throws {
        let count = response.utf8.count
        try await withResponders({ peer in
            // The path says how much is sent.
            let path = try await peer.head().statusLine.split(separator: " ").dropFirst().first ?? "/0"
            try await peer.raw.send(Array(response.utf8.prefix(Int(path.dropFirst()) ?? 0)))
            try await peer.reset()
        }) { url, online, offline in
            for number in 0..<count {
                let received = try await text(of: url + "\(number)", online)
                let stored = try await text(of: url + "\(number)", offline)
                #expect(received == nil && stored == nil, "\(number)")
            }
        }
    }

    @Test("gives responses again as soon as it responds")
    func flapping() async throws {
        try await withResponders({ peer in
            _ = try await peer.head()
            if peer.number % 2 == 0 { try await peer.reset() } else { try await peer.send(Self.whole) }
        }) { url, online, offline in
            for path in 0..<20 {
                let first = try await text(of: url + "\(path)", online)
                let second = first == nil ? try await text(of: url + "\(path)", online) : first
                #expect(second == "abc")
            }
        }
    }

    @Test("gives nobody a response that was sent before it was asked for")
    func wrongOrder() async throws {
        try await withResponders({ peer in
            let early = Self.head + "Content-Length: 5\r\n\r\nearly"
            while true {
                let path = try await peer.head().statusLine.split(separator: " ").dropFirst().first ?? ""
                // At once: what arrives later can't be told from the response to the next request.
                try await peer.send(Self.head + "Content-Length: \(path.utf8.count)\r\n\r\n\(path)" + early)
            }
        }) { url, online, offline in
            for path in 0..<60 {
                let received = try await text(of: url + "\(path)", online)
                #expect(received == "/\(path)" || received == nil)
                #expect(try await text(of: url + "\(path)", offline) == received)
            }
        }
    }

    @Test("ends a tunnel when it has switched protocols and vanishes")
    func vanishing() async throws {
        try await withResponders({ peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nabc")
            try await peer.reset()
        }) { url, online, _ in
            let authority = String(url.dropFirst(7).dropLast())
            let fields: HTTPFields = [.connection: "upgrade", .upgrade: "websocket"]
            let request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: authority,
                path: "/x",
                headerFields: fields
            )
            for _ in 0..<20 {
                guard case .switching(_, let tunnel, _) = await online.respond(to: request) else { continue }
                _ = try? await tunnel.incoming.reduce(into: [UInt8]()) { $0 += $1 }
            }
        }
    }

    @Test(
        "reads a long body from the origin only as fast as its client takes it",
        .timeLimit(.minutes(5)),
        arguments: ["no-store", "max-age=60"],
        [true, false]
    )
    func backPressure(cacheControl: String, hasLength: Bool) async throws {
        let (block, blockCount) = ([UInt8](repeating: 7, count: 1 << 20), 160)
        let (sent, received) = (Monitor(0), Monitor(0))
        try await withResponders({ peer in
            _ = try await peer.head()
            let length = hasLength ? "Content-Length: \(block.count * blockCount)\r\n" : ""
            try await peer.send("HTTP/1.1 200 OK\r\nCache-Control: \(cacheControl)\r\n\(length)\r\n")
            for _ in 0..<blockCount {
                try await peer.raw.send(block)
                sent.update { $0 += block.count }
            }
            // With the end of a connection NIO reads all that the system holds.
            try await received.wait(while: { $0 < block.count * (blockCount - 1) })
            peer.raw.finish()
            await peer.waitForEnd()
        }) { url, online, _ in
            guard case .streaming(_, let body, _) = try await online.load(url + "x") else {
                Issue.record("The body isn't passed on as it arrives.")
                return
            }
            var lead = 0
            for try await chunk in body {
                received.update { $0 += chunk.count }
                // A slow client.
                for _ in 0..<20 { await Task.yield() }
                lead = max(lead, sent.state - received.state)
            }
            #expect(received.state == block.count * blockCount)
            // The system alone may hold some 70 MB between two sockets.
            #expect(lead < 128 << 20, "\(lead >> 20) MB ahead of the client")
        }
    }
}
