import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import HTTPTypes
import Testing

/// The content of requests.
extension OriginTransportTests {
    @Test(
        "sends content, long and short, with its length or without",
        arguments: TransportKind.allCases,
        [true, false]
    )
    func content(_ kind: TransportKind, hasLength: Bool) async throws {
        try await withTalkingOrigin { peer in
            while true {
                let request = try await peer.request()
                try await peer.respond("\(request.body.count) \(request.body.reduce(0) { $0 &+ Int($1) })")
            }
        } _: { origin in
            try await kind.withTransport { transport in
                for count in [0, 1, 40, 200] {
                    let parts = (0..<count).map { [UInt8](repeating: UInt8($0), count: 20_000) }
                    let fields: HTTPFields = hasLength ? [.contentLength: "\(count * 20_000)"] : [:]
                    let text = try await transport.send(origin.call(.post, fields, content: parts)).body.all()
                    let sum = (0..<count).reduce(0) { $0 + $1 * 20_000 }
                    #expect(String(decoding: text, as: UTF8.self) == "\(count * 20_000) \(sum)")
                }
            }
        }
    }

    @Test("refuses content of another length than is stated", arguments: TransportKind.allCases, ["4", "6", "1000"])
    func wrongLength(_ kind: TransportKind, _ length: String) async throws {
        try await withTalkingOrigin { peer in
            _ = try await peer.request()
            await peer.waitForEnd()
        } _: { origin in
            try await kind.withTransport { transport in
                let call = origin.call(.post, [.contentLength: length], content: [Array("hello".utf8)])
                let error = await #expect(throws: BundleError.self) { try await transport.send(call).body.all() }
                #expect(error?.code == .invalidArgument)
                try await origin.waitForEnds()
            }
        }
    }

    @Test("ends the request with the error of its content", arguments: TransportKind.allCases)
    func brokenContent(_ kind: TransportKind) async throws {
        struct ClientGone: Error {}
        try await withTalkingOrigin { peer in
            _ = try await peer.request()
        } _: { origin in
            try await kind.withTransport { transport in
                var call = origin.call(.post)
                call.content = BodyStream(AsyncThrowingStream<[UInt8], any Error> { throw ClientGone() })
                await #expect(throws: ClientGone.self) { try await transport.send(call).body.all() }
                try await origin.waitForEnds()
            }
        }
    }

    @Test("reads content as fast as the origin takes it, or before", arguments: TransportKind.allCases)
    func contentBackPressure(_ kind: TransportKind) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await latch.wait()
            try await peer.raw.skip(32_000_000)
            try await peer.respond("hello")
        } _: { origin in
            try await kind.withTransport { transport in
                let read = Monitor(0)
                var call = origin.call(.post, [.contentLength: "32000000"])
                call.content = BodyStream(
                    AsyncStream<[UInt8]> {
                        let count = read.update { count in
                            count += 1
                            return count
                        }
                        return count <= 500 ? [UInt8](repeating: 1, count: 64_000) : nil
                    }
                )
                let response = Task { [call] in try await transport.send(call).body.all() }
                try await latch.waitForArrivals()
                if kind.keeps(.sendsContentAsItIsRead) {
                    // The sockets have buffers, but not of this size.
                    #expect(read.state < 400)
                } else {
                    #expect(read.state > 500)
                }
                latch.open()
                #expect(try await response.value == Array("hello".utf8))
            }
        }
    }

    @Test("sends content with GET, or refuses to", arguments: TransportKind.allCases)
    func contentOfGet(_ kind: TransportKind) async throws {
        try await withTalkingOrigin { peer in
            let request = try await peer.request()
            try await peer.respond("\(request.body.count)")
        } _: { origin in
            try await kind.withTransport { transport in
                let call = origin.call(.get, [.contentLength: "3"], content: [[1, 2, 3]])
                if kind.keeps(.sendsContentWithGet) {
                    let text = try await transport.send(call).body.all()
                    #expect(text == Array("3".utf8))
                } else {
                    let error = await #expect(throws: BundleError.self) { try await transport.send(call) }
                    #expect(error?.code == .invalidArgument)
                }
            }
        }
    }
}
