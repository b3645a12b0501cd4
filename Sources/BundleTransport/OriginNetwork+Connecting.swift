import AsyncHTTPClient
import BundleNetwork
import NIOCore

/// Addresses are checked twice: before a connection is made, so that no response reveals which ports are open, and
/// again once it is made, because the name may have another address by then (DNS rebinding).
extension OriginNetwork {
    /// Throws when one of the addresses of the host may not be connected to.
    ///
    /// - Parameter limit: How long looking up a name may take.
    /// - Throws: ``/BundleNetwork/OriginDenial``; `HTTPClientError.connectTimeout` when the name isn't looked up in
    ///   time; ``HostLookups/Overload`` when too many names are being looked up; `CancellationError`.
    func check(_ url: AbsoluteURL, within limit: Duration) async throws {
        if let address = NetworkAddress(url.host) {
            if let denial = denial(of: address, port: url.port) { throw denial }
            return
        }
        let accepted = acceptedNames
        guard !accepted.contains(url.hostAndPort) else { return }
        // A name without an address isn't denied: the attempt to connect to it reports that.
        guard let addresses = try await lookups.addresses(of: url.host, within: limit) else {
            throw HTTPClientError.connectTimeout
        }
        for address in addresses {
            if let denial = denial(of: address, port: url.port) { throw denial }
        }
        if !addresses.isEmpty { accepted.insert(url.hostAndPort) }
    }

    /// Admits a newly connected channel before a request is sent over it, or closes it.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let denial = denial(of: channel.remoteAddress) else { return channel.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(denial)
    }
}
