import BundleModel
import HTTPCore
import NIOCore

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
