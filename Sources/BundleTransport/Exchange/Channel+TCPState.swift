import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
