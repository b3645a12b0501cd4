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
    /// Closes with a reset: the client doesn't take what it has for everything, as one of HTTP/1.0 would after an ordered
    /// close, and the system doesn't keep what it won't take. Over TLS nothing says that this is the end (RFC 9112 §9.8).
    /// From any thread.
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
