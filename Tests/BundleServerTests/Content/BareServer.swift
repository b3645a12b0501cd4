import BundleServing
import BundleTesting
import Foundation
import Logging
import Testing

@testable import ServerCore

/// A server without an endpoint that is listening on 127.0.0.1, in clear text.
struct BareServer: Sendable {
    let port: Int
    let responder: ContentResponder
    let records: RecordedRequests
    let channels: OpenChannels
    private let accepting: any Accepting

    /// Ends idle connections, and later the others; see ``/ServerCore/Accepting``.
    func drain() { accepting.drain() }

    /// Serves, and passes the server to `body`.
    static func run(
        limits: ServerLimits = ServerLimits(),
        _ body: (BareServer) async throws -> Void
    ) async throws {
        let (responder, records, logger) = (ContentResponder(), RecordedRequests(), RecordedLog().logger)
        let sockets = try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0))
        let port = try #require(sockets.first?.url().split(separator: ":").last.flatMap { Int($0) })
        let settings = ChannelSettings(
            responder,
            recorder: RequestRecorder(metrics: nil, log: records, logger: logger),
            limits: limits,
            tls: nil,
            readyResponseCount: 16,
            logger: logger,
            now: { .now }
        )
        let channel = ConnectionChannel(settings: settings)
        let acceptor = ConnectionAcceptor(metrics: nil, logger: logger, now: { .now })
        let accepting = try await acceptor.accept(from: sockets, for: channel)
        let server = BareServer(
            port: port,
            responder: responder,
            records: records,
            channels: channel.openChannels,
            accepting: accepting
        )
        try await withCleanup {
            try await body(server)
        } cleanUp: {
            responder.latch.open()
            accepting.drain()
            accepting.stop()
            _ = await accepting.end()
        }
    }

    /// Expects that the server takes only a part of what a client sends, zeros, until the latch is open, and then the rest.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes the client sends.
    ///   - sentByteCount: How many of them it has sent.
    func expectBackPressure(on client: SilentClient, byteCount: Int, after sentByteCount: Int = 0) async throws {
        var sentByteCount = sentByteCount
        // Time in which the server could read it all, measured in requests of others.
        for _ in 0..<100 {
            sentByteCount += client.sendZeros(upTo: byteCount - sentByteCount)
            _ = try await withRawConnection(to: port) { try await $0.get("/ready") }
        }
        #expect(sentByteCount < 32 << 20)
        responder.latch.open()
        while sentByteCount < byteCount {
            sentByteCount += client.sendZeros(upTo: byteCount - sentByteCount)
            await Task.yield()
        }
    }
}

/// Keeps the records of requests: target, status and number of bytes.
final class RecordedRequests: RequestLog {
    private let monitor = Monitor<[String]>([])

    func append(_ record: AccessRecord) {
        let text = "\(record.target.string ?? "-") \(record.status) \(record.byteCount)"
        monitor.update { $0.append(text) }
    }

    /// Waits for a record that begins with `text`, and returns all.
    func wait(for text: String) async throws -> [String] {
        try await monitor.wait(while: { !$0.contains { $0.hasPrefix(text) } })
        return monitor.state
    }

    var all: [String] { monitor.state }
}
