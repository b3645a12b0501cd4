import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Channel {
    /// Closes with a reset: the client doesn't take what it has for everything, as one of HTTP/1.0 would after an ordered
    /// close, and the system doesn't keep what it won't take.
    func reset() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        close(promise: nil)
    }
}
