import BundleStore
import BundleTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import ServerCore

/// Many requests in one go over TLS, where what is flushed makes room at once or not at all.
@Suite("Pipelined requests over TLS", .timeLimit(.minutes(1)))
struct HTTP1PipeliningTests {
    /// How the client ends.
    enum Ending: CaseIterable {
        /// The last request says so.
        case closeField
        /// It ends its side behind the last request.
        case halfClose
        /// It asks on.
        case none
    }

    /// Lengths of files: some go out with their heads, the others as the client takes them.
    private static let lengths = [0, 1, 1 << 10, 60 << 10, 100 << 10, 300 << 10, 3 << 20]
    /// Which of them are asked for, one after the other.
    private static let cycle = [2, 4, 4, 5, 6, 1, 2, 5, 0, 3, 3, 6, 4, 2, 2, 5, 5, 1]
    private static let repetitions = 3

    private static func file(_ index: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: lengths[index])
    }

    @Test(
        "are answered whole and in order, whatever their lengths, and whenever the client reads",
        arguments: Ending.allCases,
        [false, true]
    )
    func order(_ ending: Ending, _ readsLate: Bool) async throws {
        try await withFiles { endpoint in
            try await withRawConnection(to: endpoint.port, offering: "http/1.1") { connection in
                let indices = Array(repeatElement(Self.cycle, count: Self.repetitions).joined())
                var requests = indices.map { "GET /shop/\($0).bin HTTP/1.1\r\nHost: localhost\r\n\r\n" }
                if ending == .closeField {
                    requests[requests.count - 1] = requests[requests.count - 1].replacing(
                        "\r\n\r\n",
                        with: "\r\nConnection: close\r\n\r\n"
                    )
                }
                try await connection.send(requests.joined())
                if ending == .halfClose { connection.finish() }
                // The server has begun, and waits for the client to take it.
                for _ in 0..<(readsLate ? 16 : 0) { #expect(try await endpoint.get(2) == Self.file(2)) }
                for (number, index) in indices.enumerated() {
                    let response = try await connection.response()
                    let isLast = number == indices.count - 1 && ending == .closeField
                    #expect(response["connection"] == (isLast ? "close" : nil))
                    guard response.body == Self.file(index) else {
                        Issue.record("response \(number) isn't \(index).bin")
                        return
                    }
                }
                if ending == .none {
                    #expect(try await connection.get("/shop/2.bin").body == Self.file(2))
                } else {
                    #expect(try await connection.rest().isEmpty)
                }
            }
        }
    }

    /// Lengths of bodies, some of which are sent in more than one turn.
    private static let counts = [
        3, 2 << 20, 1 << 20, 5, 3 << 20, 100_000, 1 << 20, 0, 65_536, 65_537, 2 << 20, 2 << 20, 200_000, 200_000, 1,
    ]

    @Test("are answered whole and in order when flushing makes room at once", arguments: [1, 2, 3, 5, 8, 13, 21, .max])
    func roomAtOnce(_ flushCount: Int) throws {
        let output = RoomAtOnce(flushCount: flushCount)
        let channel = try EmbeddedChannel(of: LatchedResponder(), behind: output)
        let requests = Self.counts.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        try channel.writeInbound(ByteBuffer(string: requests.joined()))
        // More often than there are pieces.
        for _ in 0..<1_000 {
            channel.embeddedEventLoop.run()
            output.makeRoom()
        }
        var sent = ByteBuffer()
        while var bytes = try channel.readOutbound(as: ByteBuffer.self) { sent.writeBuffer(&bytes) }
        for (number, count) in Self.counts.enumerated() {
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

    private func withFiles(_ body: (RunningEndpoint) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("pipelining", in: folder)
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            let files = Self.lengths.indices.map { ("\($0).bin", Self.file($0)) }
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": []}"#,
                Dictionary(uniqueKeysWithValues: files)
            )
            try await withEndpoint(
                store,
                configure: { $0.tls = TLSFiles(certificate: certificate.certificate, key: certificate.key) },
                body
            )
        }
    }
}

extension RunningEndpoint {
    /// Sends one GET on a connection of its own.
    fileprivate func get(_ index: Int) async throws -> [UInt8] {
        try await withRawConnection(to: port, offering: "http/1.1") { try await $0.get("/shop/\(index).bin").body }
    }
}
