import NIOCore
import NIOEmbedded
import Testing

@testable import ServerCore

@Suite("Pipelined requests on a channel")
struct HTTP1PipeliningTests {
    /// Lengths of bodies, some of which are sent in more than one turn.
    private static let lengths = [
        3, 2 << 20, 1 << 20, 5, 3 << 20, 100_000, 1 << 20, 0, 65_536, 65_537, 2 << 20, 2 << 20, 200_000, 200_000, 1,
    ]

    @Test(
        "are responded to completely and in order when flushing makes room at once",
        arguments: [1, 2, 3, 5, 8, 13, 21, .max]
    )
    func roomAtOnce(_ flushCount: Int) throws {
        let output = RoomAtOnce(flushCount: flushCount)
        let channel = try EmbeddedChannel(of: LatchedResponder(), behind: output)
        let requests = Self.lengths.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        try channel.writeInbound(ByteBuffer(string: requests.joined()))
        // More often than there are pieces.
        for _ in 0..<1_000 {
            channel.embeddedEventLoop.run()
            output.makeRoom()
        }
        var sent = ByteBuffer()
        while var bytes = try channel.readOutbound(as: ByteBuffer.self) { sent.writeBuffer(&bytes) }
        for (number, count) in Self.lengths.enumerated() {
            let end = try #require(sent.readableBytesView.firstRange(of: "\r\n\r\n".utf8), "response \(number)")
            let head = sent.readString(length: end.upperBound - sent.readerIndex) ?? ""
            #expect(head.contains("Content-Length: \(count)\r\n"), "response \(number)")
            let body = sent.readBytes(length: min(count, sent.readableBytes))
            guard body == LatchedResponder.content(count) else {
                Issue.record("response \(number) isn't whole")
                return
            }
        }
        #expect(sent.readableBytes == 0)
        _ = try channel.finish()
    }
}
