import Foundation

/// A TCP port of loopback that stays a test's own while nothing listens on it: before a server starts, and between its end and its
/// next start. The system gives it to no other socket that asks for any port, and refuses connections to it. A server that sets
/// `SO_REUSEADDR` can listen on it, on 127.0.0.1 and on ::1.
///
/// The port is free again when the last reference is gone. Safe to share between threads.
package final class ReservedPort: Sendable {
    /// There is no free port, or no loopback.
    package struct Failure: Error {
        package let code: Int32
    }

    /// The port.
    package let number: Int
    private let sockets: [Int32]

    /// How many ports are tried: another program may have the same one on ::1.
    private static let attemptCount = 100

    /// - Throws: ``Failure``.
    package init() throws(Failure) {
        for _ in 1...Self.attemptCount {
            let first = try Self.boundSocket(at: "127.0.0.1", port: 0)
            let number = Self.port(of: first)
            do throws(Failure) {
                sockets = [first, try Self.boundSocket(at: "::1", port: number)]
            } catch {
                guard error.code != EADDRINUSE else {
                    close(first)
                    continue
                }
                // This machine has no IPv6.
                sockets = [first]
            }
            self.number = number
            return
        }
        throw Failure(code: EADDRINUSE)
    }

    deinit {
        for socket in sockets { close(socket) }
    }

    private static func boundSocket(at host: String, port: Int) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee else {
            throw Failure(code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var isOn: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, length)
        if address.ai_family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, length) }
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let failure = Failure(code: errno)
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    private static func port(of socket: Int32) -> Int {
        // Which module has the members of `sockaddr` depends on what else is compiled: its bytes are read. Behind the two of the
        // family is the port, in network byte order.
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            var length = socklen_t(bytes.count)
            getsockname(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
