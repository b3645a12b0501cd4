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
