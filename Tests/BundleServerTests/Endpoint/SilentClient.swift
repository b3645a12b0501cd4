import Foundation
import NIOCore
import SystemPackage

/// A client that sends and never reads.
final class SilentClient: Sendable {
    private let descriptor: CInt

    /// Connects to 127.0.0.1.
    init(port: Int) throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        descriptor = socket(AF_INET, Self.stream, 0)
        let result = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws {
        _ = try FileDescriptor(rawValue: descriptor).writeAll(text.utf8)
    }

    /// Sends as many zeros as the system takes at once, up to `limit`, and returns how many it has taken.
    func sendZeros(upTo limit: Int) -> Int {
        let zeros = [UInt8](repeating: 0, count: 64 << 10)
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        var sentByteCount = 0
        while sentByteCount < limit {
            let count = write(descriptor, zeros, min(limit - sentByteCount, zeros.count))
            guard count > 0 else { break }
            sentByteCount += count
        }
        return sentByteCount
    }

    /// Tells the server that nothing more will be sent.
    func finish() {
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Waits until the server has ended its side. Returns whether it has, in time.
    var hasReceivedEnd: Bool {
        get async { await isTold(of: Self.readEnd, asking: Self.readEnd) }
    }

    /// Waits until the server has ended the connection, too. Returns whether it has, in time.
    var isAtEnd: Bool {
        get async { await isTold(of: POLLHUP) }
    }

    /// Waits until the connection has ended. Returns whether the server has reset it.
    var isReset: Bool {
        get async { await isTold(of: POLLERR) }
    }

    /// Waits until both directions are closed, possibly with unread input, or for an error. Returns whether `event` is
    /// reported, in time.
    private func isTold(of event: Int32, asking: Int32 = 0) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                var events = pollfd(fd: descriptor, events: Int16(asking), revents: 0)
                let count = poll(&events, 1, 30_000)
                continuation.resume(returning: count == 1 && Int32(events.revents) & event != 0)
            }
        }
    }

    /// POLLRDHUP, which only Linux has.
    private static let readEnd: Int32 = 0x2000

    #if canImport(Glibc)
        private static let stream = CInt(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
}
