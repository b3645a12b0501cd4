import BundleNetwork
import NIOCore
import Synchronization

/// Which addresses a transport may connect to: those that the policy allows, and never those that this process listens
/// on, which an endpoint registers.
///
/// Thread-safe.
public final class OriginNetwork: Sendable {
    private struct State {
        var policy: OriginAddressPolicy
        var listeners: [ListenAddress] = []
        let acceptedNames = AcceptedNameCache()
    }

    private let allowed: Set<NetworkScope>
    let lookups: HostLookups
    private let state: Mutex<State>

    /// - Parameter policy: What may be connected to. The default is for commands, which can't be reached from outside;
    ///   an endpoint needs one that allows only what its operator has named, to which `serve`
    ///   adds what is safe.
    public convenience init(_ policy: OriginAddressPolicy = .local) {
        self.init(policy, lookups: HostLookups())
    }

    init(_ policy: OriginAddressPolicy, lookups: HostLookups) {
        allowed = policy.allowed
        self.lookups = lookups
        state = Mutex(State(policy: policy))
    }

    /// Registers where this process listens, which is never connected to. An endpoint may connect to the machine and
    /// its network if it is reachable from the machine only. One that serves other hosts isn't: a reverse proxy or a
    /// tunnel forwards requests from elsewhere.
    ///
    /// - Parameters:
    ///   - addresses: The endpoint's own addresses, with their actual ports.
    ///   - operators: The addresses for operators.
    ///   - hosts: The hosts that the operator has it serve, in addition to the machine's own.
    func serve(at addresses: [ListenAddress], operators: [ListenAddress], hosts: Set<AllowedHost> = []) {
        let isLocal =
            addresses.allSatisfy(\.isReachableFromMachineAlone) && hosts.allSatisfy(\.isReachableFromMachineAlone)
        let policy = isLocal ? OriginAddressPolicy.local : OriginAddressPolicy(allowing: allowed)
        state.withLock { $0 = State(policy: policy, listeners: addresses + operators) }
    }

    /// The names that were accepted under the current policy.
    var acceptedNames: AcceptedNameCache { state.withLock { $0.acceptedNames } }

    /// Why sending to an address is denied; nil when it is allowed.
    func denial(of address: NetworkAddress, port: Int) -> OriginDenial? {
        let state = state.withLock { $0 }
        if state.listeners.contains(where: { $0.accepts(address, port: port) }) {
            return OriginDenial(.ownListener(address, port: port))
        }
        return state.policy.denial(of: address)
    }

    /// Why sending to an address is denied; nil when it is allowed.
    func denial(of address: SocketAddress?) -> OriginDenial? {
        guard let address, let port = address.port, let network = NetworkAddress(address) else {
            return OriginDenial(.unknown)
        }
        return denial(of: network, port: port)
    }
}

extension AllowedHost {
    /// Whether only clients on this machine can use it for the endpoint.
    fileprivate var isReachableFromMachineAlone: Bool {
        switch self {
        case .any: false
        case .named(let host): NetworkScope(ofHost: host) == .loopback
        }
    }
}

extension ListenAddress {
    /// Whether only this machine can connect to it. Sockets of unknown addresses may be reachable from anywhere.
    fileprivate var isReachableFromMachineAlone: Bool {
        switch self {
        case .tcp(let host, _): NetworkAddress(host).map(NetworkScope.init) == .loopback
        case .unix: true
        case .inherited: false
        }
    }

    /// Whether a connection to an address and port arrives here.
    fileprivate func accepts(_ address: NetworkAddress, port: Int) -> Bool {
        guard case .tcp(let host, port) = self, let own = NetworkAddress(host) else { return false }
        return own == address || NetworkScope(of: own) == .unspecified && Self.isOfMachine(address)
    }

    /// Whether the machine has the address; assumed if that can't be determined.
    private static func isOfMachine(_ address: NetworkAddress) -> Bool {
        guard ![.loopback, .unspecified].contains(NetworkScope(of: address)) else { return true }
        guard let devices = try? System.enumerateDevices() else { return true }
        return devices.contains { $0.address.flatMap(NetworkAddress.init) == address }
    }
}

extension NetworkAddress {
    /// Nil for anything but an IP address.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }
}
