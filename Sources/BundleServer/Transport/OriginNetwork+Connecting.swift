import AsyncHTTPClient
import BundleNetwork
import Dispatch
import NIOCore

/// Addresses are judged twice: before a connection is made, so that no response reveals which ports are open, and again once it is
/// made, since the name may have another address by then (DNS rebinding).
extension OriginNetwork {
    /// Throws when one of the addresses of the host may not be connected to.
    ///
    /// - Parameter limit: How long looking up a name may take.
    /// - Throws: ``BundleNetwork/OriginDenial``; `HTTPClientError.connectTimeout` when the name isn't looked up in time;
    ///   `CancellationError`.
    func check(_ url: AbsoluteURL, within limit: Duration) async throws {
        if let address = NetworkAddress(url.host) {
            if let denial = denial(of: address, port: url.port) { throw denial }
            return
        }
        let judged = judgedNames
        guard !judged.contains(url.hostAndPort) else { return }
        let addresses = try await Self.addresses(of: url, within: limit)
        for address in addresses {
            if let denial = denial(of: address) { throw denial }
        }
        if !addresses.isEmpty { judged.insert(url.hostAndPort) }
    }

    /// Admits a channel that has just been connected, before a request is sent over it, or closes it.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let denial = denial(of: channel.remoteAddress) else { return channel.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(denial)
    }

    /// Looks a name up on a thread that may block; a result that comes too late is discarded. A name without an address gives none:
    /// the attempt to connect to it reports that.
    private static func addresses(of url: AbsoluteURL, within limit: Duration) async throws -> [SocketAddress] {
        let (results, continuation) = AsyncStream.makeStream(of: [SocketAddress]?.self)
        DispatchQueue.global().async {
            continuation.yield((try? HostAddresses.resolve(url.host, port: url.port)) ?? [])
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            continuation.yield(nil)
        }
        defer { timer.cancel() }
        for await addresses in results {
            guard let addresses else { throw HTTPClientError.connectTimeout }
            return addresses
        }
        throw CancellationError()
    }
}
