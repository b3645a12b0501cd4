import BundleModel
import HTTPCore
import NIOCore
import Synchronization

/// Addresses are checked before they are connected to, and connected to as they were checked: the name isn't looked up
/// again in between, when it may have another address (DNS rebinding).
///
/// A proxy looks up the names of hosts itself: of these only those that are addresses can be checked.
extension OriginNetwork {
    /// The addresses to connect to, all of which may be connected to: those of a proxy, or of the host.
    ///
    /// - Throws: As ``addresses(of:port:within:)``.
    func addresses(for key: ConnectionKey, within limit: Duration) async throws -> [SocketAddress] {
        guard key.proxy != nil else {
            return try await addresses(of: key.connectHost, port: key.connectPort, within: limit)
        }
        if let denial = denial(ofEnd: key) { throw denial }
        return try await addresses(
            of: key.connectHost,
            port: key.connectPort,
            within: limit,
            denial: denial(ofProxyAt:port:)
        )
    }

    /// Why a proxy isn't asked for a host; nil when it is. The proxy may take what isn't quite an address for one.
    private func denial(ofEnd key: ConnectionKey) -> OriginDenial? {
        NetworkAddress(lookedUp: key.endHost.trimmingFinalDot).flatMap { denial(of: $0, port: key.endPort) }
    }

    /// The addresses of a host, all of which may be connected to.
    ///
    /// - Parameter limit: How long looking up a name may take.
    /// - Throws: ``/BundleNetwork/OriginDenial`` when one of them may not be connected to;
    ///   ``ConnectionProblem/notInTime`` when the name isn't looked up in time, and ``ConnectionProblem/noAddress`` when
    ///   it has none; ``HostLookups/Overload`` when too many names are being looked up; `CancellationError`.
    func addresses(of host: String, port: Int, within limit: Duration) async throws -> [SocketAddress] {
        try await addresses(of: host, port: port, within: limit, denial: denial(of:port:))
    }

    private func addresses(
        of host: String,
        port: Int,
        within limit: Duration,
        denial: (NetworkAddress, Int) -> OriginDenial?
    ) async throws -> [SocketAddress] {
        let addresses = try await addresses(of: host, within: limit)
        for address in addresses {
            if let denial = denial(address, port) { throw denial }
        }
        guard !addresses.isEmpty else { throw ConnectionProblem.noAddress }
        return try addresses.map { try SocketAddress(ipAddress: $0.description, port: port) }
    }

    /// Has a host looked up again for the next connection.
    func forget(_ host: String) { knownAddresses.remove(host.lowercased()) }

    private func addresses(of host: String, within limit: Duration) async throws -> [NetworkAddress] {
        if let address = NetworkAddress(host) { return [address] }
        let name = host.lowercased()
        if let addresses = knownAddresses[name] { return addresses }
        guard let addresses = try await lookups.addresses(of: name, within: limit) else {
            throw ConnectionProblem.notInTime
        }
        if !addresses.isEmpty { knownAddresses.insert(addresses, of: name) }
        return addresses
    }

    /// Whether a connection that was made earlier may be used: the policy may have changed since.
    func admits(_ connection: ClientConnection) -> Bool {
        let number = policyNumber
        guard connection.policyNumber.load(ordering: .relaxed) != number else { return true }
        guard denial(of: connection) == nil else { return false }
        connection.policyNumber.store(number, ordering: .relaxed)
        return true
    }

    private func denial(of connection: ClientConnection) -> OriginDenial? {
        guard connection.key.proxy != nil else { return denial(of: connection.remoteAddress) }
        guard let address = connection.remoteAddress.flatMap(NetworkAddress.init) else { return OriginDenial(.unknown) }
        return denial(ofEnd: connection.key) ?? denial(ofProxyAt: address, port: connection.key.connectPort)
    }
}
