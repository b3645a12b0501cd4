import Foundation
import NIOCore

/// The socket of a service manager, to which its services send their states (sd_notify(3)).
package final class NotificationSocket: Sendable {
    private let descriptor: CInt

    /// - Parameter path: Where it is made: there must be nothing, and the path must be short enough for a socket.
    package init(at path: String) throws {
        descriptor = socket(AF_UNIX, Self.datagram, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        let address = try SocketAddress(unixDomainSocketPath: path)
        guard address.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0 else {
            throw IOError(errnoCode: errno, reason: "bind \(path)")
        }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next state that was sent. Blocks until there is one; nil when none comes for 30 seconds.
    package func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    #if canImport(Glibc)
        private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        private static let datagram = SOCK_DGRAM
    #endif
}
