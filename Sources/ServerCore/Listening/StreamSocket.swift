import BundleModel
import HTTPCore
import NIOCore

#if canImport(Glibc)
    import Glibc
    private let stream = CInt(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
    import Musl
    private let stream = SOCK_STREAM
#elseif canImport(Darwin)
    import Darwin
    private let stream = SOCK_STREAM
#endif

/// A stream socket's descriptor with the system calls that a listener needs. The code that makes one closes it.
struct StreamSocket {
    let descriptor: CInt

    /// Wraps a descriptor.
    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Creates a socket for addresses of this family, non-blocking and closed on exec.
    ///
    /// - Throws: `IOError`, like every call here.
    init(_ family: NIOBSDSocket.ProtocolFamily) throws(IOError) {
        self.init(descriptor: try Self.checked("socket", socket(family.rawValue, stream, 0)))
        do {
            try setFlags()
        } catch {
            discard()
            throw error
        }
    }

    /// Makes it non-blocking, and closed on exec.
    func setFlags() throws(IOError) {
        let flags = try Self.checked("fcntl", fcntl(descriptor, F_GETFL))
        try Self.checked("fcntl", fcntl(descriptor, F_SETFL, flags | O_NONBLOCK))
        try Self.checked("fcntl", fcntl(descriptor, F_SETFD, FD_CLOEXEC))
    }

    func set(_ option: CInt, of level: CInt, to value: Bool) throws(IOError) {
        var value: CInt = value ? 1 : 0
        let size = socklen_t(MemoryLayout.size(ofValue: value))
        try Self.checked("setsockopt", setsockopt(descriptor, level, option, &value, size))
    }

    /// Whether connections can be accepted from it.
    var isListening: Bool {
        var (type, accepts): (CInt, CInt) = (0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: type))
        return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == stream
            && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0
    }

    func assign(_ address: SocketAddress) throws(IOError) {
        try Self.checked("bind", address.withSockAddr { bind(descriptor, $0, socklen_t($1)) })
    }

    /// Connects. Returns the error number, 0 when there is none.
    func reach(_ address: SocketAddress) -> CInt {
        address.withSockAddr { connect(descriptor, $0, socklen_t($1)) == 0 ? 0 : errno }
    }

    /// Listens with the longest backlog that the system allows.
    func startListening() throws(IOError) {
        try Self.checked("listen", listen(descriptor, CInt(SOMAXCONN)))
    }

    /// A second descriptor of the same socket, also closed on exec.
    func duplicate() throws(IOError) -> StreamSocket {
        StreamSocket(descriptor: try Self.checked("fcntl", fcntl(descriptor, F_DUPFD_CLOEXEC, 0)))
    }

    func discard() {
        _ = close(descriptor)
    }

    /// The bound address; nil when it is neither TCP nor Unix.
    var localAddress: SocketAddress? { address(getsockname) }

    /// The peer's address; nil when it isn't connected, or is neither TCP nor Unix.
    var peerAddress: SocketAddress? { address(getpeername) }

    /// What responses depend on of the connection.
    var connectionInfo: ConnectionInfo { ConnectionInfo(local: localAddress, peer: peerAddress) }

    private func address(
        _ call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout.size(ofValue: storage))
        let result = withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.baseAddress.map { call(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &size) }
        }
        guard result == 0 else { return nil }
        let family = CInt(storage.ss_family)
        return withUnsafeBytes(of: storage) { bytes in
            switch family {
            case AF_INET: SocketAddress(bytes.load(as: sockaddr_in.self))
            case AF_INET6: SocketAddress(bytes.load(as: sockaddr_in6.self))
            case AF_UNIX: SocketAddress(bytes.load(as: sockaddr_un.self))
            default: nil
            }
        }
    }

    @discardableResult
    static func checked(_ call: String, _ result: CInt) throws(IOError) -> CInt {
        guard result >= 0 else { throw IOError(errnoCode: errno, reason: call) }
        return result
    }
}

extension ConnectionInfo {
    /// Tells by a connection's addresses where its client runs.
    ///
    /// - Parameters:
    ///   - local: The server's address on this connection.
    ///   - peer: The client's; nil when it is gone.
    init(local: SocketAddress?, peer: SocketAddress?) {
        let (localHost, peerHost) = (local?.networkAddress, peer?.networkAddress)
        // Packets between a machine's own addresses take its loopback interface, whatever the addresses are.
        let isLocal =
            localHost == nil || localHost == peerHost || localHost?.isLoopback == true || peerHost?.isLoopback == true
        self.init(port: local?.port, isLocal: isLocal)
    }
}

extension SocketAddress {
    /// The IP address; nil for a Unix socket.
    fileprivate var networkAddress: NetworkAddress? { withSockAddr { address, _ in NetworkAddress(address) } }
}
