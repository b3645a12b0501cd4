import BundleTesting
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import ServerCore

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Accepting as channels")
struct ServerBootstrapTests {
    private struct Refusal: Error {}

    private let log = RecordedLog()
    private var failures: AcceptFailureLog { AcceptFailureLog(logger: log.logger) { Date() } }
    private var bootstrap: ServerBootstrap { ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton) }

    #if canImport(Glibc)
        @Test("keeps the longest queue of connections that the system allows")
        func backlog() async throws {
            let socket = try #require(try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0)).first)
            let before = try Self.backlog(of: socket)
            let channels = try await bootstrap.accept(from: [socket], failures: failures)
            let after = try Self.backlog(of: socket)
            #expect(after == before)
            for channel in channels { try await channel.close() }
        }

        /// In tcp(7), `tcpi_sacked` of a listening socket is the length of its queue.
        private static func backlog(of socket: ListeningSocket) throws -> UInt32 {
            var info = tcp_info()
            var size = socklen_t(MemoryLayout.size(ofValue: info))
            try #require(getsockopt(socket.descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &size) == 0)
            return info.tcpi_sacked
        }
    #endif

    @Test("pauses when no connection can be accepted, for example without descriptors")
    func pause() async throws {
        let socket = try #require(try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0)).first)
        let channel = try #require(try await bootstrap.accept(from: [socket], failures: failures).first)
        // In one turn of the loop, before the timer can end the pause.
        let isReading = try await channel.eventLoop.submit {
            channel.pipeline.syncOperations.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            return try channel.syncOptions?.getOption(.autoRead)
        }.get()
        #expect(isReading == false)
        #expect(
            log.lines.first?.hasPrefix("warning: connections wait because they can't be accepted: this process has")
                == true
        )
        let isAccepting = channel.eventLoop.flatScheduleTask(in: AcceptPause.duration) { channel.getOption(.autoRead) }
        #expect(try await isAccepting.futureResult.get())
        #expect(channel.isActive)
        try await channel.close()
    }

    @Test("from several sockets ends with all of them when one can't be accepted from")
    func failure() async throws {
        let sockets = try (0..<2).flatMap { _ in try ListeningSocket.open(.tcp(host: "127.0.0.1", port: 0)) }
        let channels = Mutex<[any Channel]>([])
        let bootstrap = bootstrap.serverChannelInitializer { channel in
            let isFirst = channels.withLock { channels in
                channels.append(channel)
                return channels.count == 1
            }
            return isFirst
                ? channel.eventLoop.makeSucceededVoidFuture() : channel.eventLoop.makeFailedFuture(Refusal())
        }
        await #expect(throws: Refusal.self) { try await bootstrap.accept(from: sockets, failures: failures) }
        #expect(channels.withLock { $0.map(\.isActive) } == [false, false])
    }
}
