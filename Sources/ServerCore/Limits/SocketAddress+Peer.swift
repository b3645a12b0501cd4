import HTTPCore
import NIOCore

extension SocketAddress {
    /// The address by which a client counts; nil for a Unix socket.
    var peer: PeerAddress? { withSockAddr { address, _ in PeerAddress(address) } }
}
