import BundleModel
import HTTPCore
import NIOCore
import Synchronization

/// Which addresses a transport may connect to: those that the policy allows, and never those that this process listens
/// on, which an endpoint registers.
///
/// Thread-safe.
public final class OriginNetwork: Sendable {
    /// A TCP socket of this process.
    package struct Listener: Sendable {
        let address: NetworkAddress
        let port: Int

        package init(_ address: NetworkAddress, port: Int) {
            self.address = address
            self.port = port
        }

        /// Whether a connection to an address and port arrives here.
        fileprivate func accepts(_ other: NetworkAddress, port: Int) -> Bool {
            guard port == self.port else { return false }
            return other == address || NetworkScope(of: address) == .unspecified && Self.isOfMachine(other)
        }

        /// Whether the machine has the address; true if that can't be determined.
        private static func isOfMachine(_ address: NetworkAddress) -> Bool {
            guard ![.loopback, .unspecified].contains(NetworkScope(of: address)) else { return true }
            guard let devices = try? System.enumerateDevices() else { return true }
            return devices.contains { $0.address.flatMap(NetworkAddress.init) == address }
        }
    }

    private struct State {
        var policy: OriginAddressPolicy
        var listeners: [Listener] = []
        /// How many policies there were before this one.
        var number = 0
    }

    private let allowed: Set<NetworkScope>
    let lookups: HostLookups
    let knownAddresses = AddressCache()
    private let state: Mutex<State>

    /// - Parameter policy: The addresses that may be connected to. The default is for commands, which can't be reached
    ///   from outside; an endpoint needs a policy that allows only what its operator has named, to which `serve` adds
    ///   what is safe.
    public convenience init(_ policy: OriginAddressPolicy = .local) {
        self.init(policy, lookups: HostLookups())
    }

    init(_ policy: OriginAddressPolicy, lookups: HostLookups) {
        allowed = policy.allowed
        self.lookups = lookups
        state = Mutex(State(policy: policy))
    }

    /// Registers the addresses that this process listens on, which are never connected to.
    ///
    /// - Parameters:
    ///   - listeners: The addresses and ports of its TCP sockets, those for operators too.
    ///   - isLocal: Whether only clients on this machine reach them. Then the machine and its network may be connected
    ///     to.
    package func serve(at listeners: [Listener], isLocal: Bool) {
        let policy = isLocal ? OriginAddressPolicy.local : OriginAddressPolicy(allowing: allowed)
        state.withLock { $0 = State(policy: policy, listeners: listeners, number: $0.number + 1) }
    }

    /// Another one for each policy.
    var policyNumber: Int { state.withLock { $0.number } }

    /// Why sending to an address is denied; nil when it is allowed.
    func denial(of address: NetworkAddress, port: Int) -> OriginDenial? {
        let state = state.withLock { $0 }
        if state.listeners.contains(where: { $0.accepts(address, port: port) }) {
            return OriginDenial(.ownListener(address, port: port))
        }
        return state.policy.denial(of: address)
    }

    /// Why a proxy at an address is denied; nil when it is allowed. Operators name proxies, wherever these are: only this
    /// process itself is none.
    func denial(ofProxyAt address: NetworkAddress, port: Int) -> OriginDenial? {
        let listeners = state.withLock { $0.listeners }
        return listeners.contains { $0.accepts(address, port: port) }
            ? OriginDenial(.ownProxy(address, port: port)) : nil
    }

    /// Why sending to an address is denied; nil when it is allowed.
    func denial(of address: SocketAddress?) -> OriginDenial? {
        guard let address, let port = address.port, let network = NetworkAddress(address) else {
            return OriginDenial(.unknown)
        }
        return denial(of: network, port: port)
    }
}

extension NetworkAddress {
    /// Nil for anything but an IP address.
    init?(_ address: SocketAddress) {
        let network = address.withSockAddr { address, _ in NetworkAddress(address) }
        guard let network else { return nil }
        self = network
    }
}

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
    /// - Throws: ``/HTTPCore/OriginDenial`` when one of them may not be connected to;
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
