import BundleModel
import BundleNetwork
import NIOCore
import Synchronization

/// Addresses are checked before they are connected to, and connected to as they were checked: the name isn't looked up
/// again in between, when it may have another address (DNS rebinding).
extension OriginNetwork {
    /// The addresses of a host, all of which may be connected to.
    ///
    /// - Parameter limit: How long looking up a name may take.
    /// - Throws: ``/BundleNetwork/OriginDenial`` when one of them may not be connected to;
    ///   ``ConnectionProblem/notInTime`` when the name isn't looked up in time, and ``ConnectionProblem/noAddress`` when
    ///   it has none; ``HostLookups/Overload`` when too many names are being looked up; `CancellationError`.
    func addresses(of host: String, port: Int, within limit: Duration) async throws -> [SocketAddress] {
        let addresses = try await addresses(of: host, within: limit)
        for address in addresses {
            if let denial = denial(of: address, port: port) { throw denial }
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
        guard denial(of: connection.remoteAddress) == nil else { return false }
        connection.policyNumber.store(number, ordering: .relaxed)
        return true
    }
}
