import NIOCore
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Channel {
    /// Closes with a TCP reset: the client can't take a partial response for a complete one, as an HTTP/1.0 client
    /// would after an orderly close, and the system keeps no unsent bytes. Over TLS, no close_notify is sent (RFC 9112
    /// §9.8). Thread-safe.
    func reset() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        guard eventLoop.inEventLoop else { return eventLoop.execute { self.closeBelowTLS() } }
        closeBelowTLS()
    }

    private func closeBelowTLS() {
        guard let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return close(promise: nil)
        }
        tls.close(promise: nil)
    }
}
