import AsyncHTTPClient
import BundleNetwork
import Dispatch
import NIOCore

/// Addresses are judged twice: before anything is connected to, so that nobody learns from an answer which ports are open, and
/// once it is, since a name may have another address by then (DNS rebinding).
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

    /// Lets a channel that has just been connected be used, before anything is sent over it; closes it otherwise.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let denial = denial(of: channel.remoteAddress) else { return channel.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(denial)
    }

    /// Looks a name up on a thread that may block; what comes too late is nobody's. A name that has no address is left to whoever
    /// connects to it, to say so.
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
