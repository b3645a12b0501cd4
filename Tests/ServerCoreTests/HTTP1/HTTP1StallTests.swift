import NIOCore
import NIOEmbedded
import Testing

@testable import ServerCore

/// What becomes of responses that a client doesn't take, on a clock that the test moves.
@Suite("An HTTP/1 response that stalls")
struct HTTP1StallTests {
    private static let requests = [
        "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /a HTTP/1.0\r\n\r\n",
        "GET /now HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "no request\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    @Test(
        "ends after the limit, also when it is the last, or the client has ended its side",
        arguments: requests,
        [false, true]
    )
    func stalled(_ request: String, _ isHalfClosed: Bool) throws {
        let fixture = try Fixture()
        try fixture.channel.writeInbound(ByteBuffer(string: request))
        if isHalfClosed { fixture.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        #expect(fixture.output.count == 1)
        fixture.advance(by: .seconds(29))
        #expect(fixture.channel.isActive)
        fixture.advance(by: .seconds(1))
        #expect(!fixture.channel.isActive)
    }

    @Test("has the limit again for each part that the client takes")
    func slow() throws {
        let fixture = try Fixture()
        for path in ["/a", "/b", "/c"] {
            try fixture.channel.writeInbound(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"))
        }
        #expect(fixture.output.count == 3)
        for count in [2, 1] {
            fixture.advance(by: .seconds(29))
            fixture.output.takeFirst()
            #expect(fixture.output.count == count)
        }
        fixture.advance(by: .seconds(29))
        #expect(fixture.channel.isActive)
        fixture.advance(by: .seconds(1))
        #expect(!fixture.channel.isActive)
    }

    @Test("isn't cut once it is taken: the client is listened to for a while")
    func taken() throws {
        let fixture = try Fixture()
        try fixture.channel.writeInbound(ByteBuffer(string: Self.requests[0]))
        fixture.advance(by: .seconds(29))
        fixture.output.takeFirst()
        fixture.advance(by: TimeAmount(ServerLimits.linger) - .nanoseconds(1))
        #expect(fixture.channel.isActive)
        fixture.advance(by: .nanoseconds(1))
        #expect(!fixture.channel.isActive)
    }

    private struct Fixture {
        let channel: EmbeddedChannel
        let output = StalledOutput()

        init() throws {
            channel = try EmbeddedChannel(of: LatchedResponder(), behind: output)
        }

        func advance(by time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    }
}
