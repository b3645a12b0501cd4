import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Channel {
    /// Has the system notice within two minutes that the other side has vanished: the signs of life of TCP take the place
    /// of a limit. On the event loop.
    func keepAlive() {
        guard let options = syncOptions else { return }
        // Where it fails, a vanished origin is noticed with the next bytes that are sent to it.
        try? options.setOption(.socketOption(.so_keepalive), value: 1)
        #if os(Linux)
            // tcp(7): after a minute, every 15 seconds, four times.
            try? options.setOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
            try? options.setOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
            try? options.setOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
        #endif
    }
}

extension Channel {
    /// Whether the other side has closed the connection, even if the event loop hasn't noticed. On the event loop. False
    /// where the system doesn't tell.
    var isClosedByPeer: Bool {
        let isClosed = Mutex(false)
        #if os(Linux)
            // TCP_ESTABLISHED (tcp_states.h).
            let established: UInt8 = 1
            // On the event loop the future is complete.
            (self as? any SocketOptionProvider)?.getTCPInfo().whenSuccess { info in
                isClosed.withLock { $0 = info.tcpi_state != established }
            }
        #endif
        return isClosed.withLock { $0 }
    }
}
