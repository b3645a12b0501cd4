import BundleNetwork
import NIOCore
import Synchronization

/// Which addresses a transport may connect to: what the policy allows, and never what this process listens on itself. An
/// endpoint tells it where that is.
///
/// Thread-safe.
public final class OriginNetwork: Sendable {
    private struct State {
        var policy: OriginAddressPolicy
        var listeners: [ListenAddress] = []
        let judged = JudgedNames()
    }

    private let allowed: Set<NetworkScope>
    private let state: Mutex<State>

    /// - Parameter policy: What may be connected to. The default is for commands, which nobody reaches from outside; an
    ///   endpoint wants one that allows only what its operator has named, and ``serve(at:operators:)`` adds what it may.
    public init(_ policy: OriginAddressPolicy = .local) {
        allowed = policy.allowed
        state = Mutex(State(policy: policy))
    }

    /// Takes over where this process listens, which is never connected to. The machine and its network are open to an endpoint
    /// that can be reached from the machine alone. One that answers for hosts elsewhere can't: a reverse proxy, or a tunnel,
    /// passes on what others ask.
    ///
    /// - Parameters:
    ///   - addresses: The endpoint's own, with their real ports.
    ///   - operators: Those for operators.
    ///   - hosts: For which the operator has it answer besides the machine's own.
    func serve(at addresses: [ListenAddress], operators: [ListenAddress], hosts: Set<AllowedHost> = []) {
        let isLocal =
            addresses.allSatisfy(\.isReachableFromMachineAlone) && hosts.allSatisfy(\.isReachableFromMachineAlone)
        let policy = isLocal ? OriginAddressPolicy.local : OriginAddressPolicy(allowing: allowed)
        state.withLock { $0 = State(policy: policy, listeners: addresses + operators) }
    }

    /// The names that were found good by what holds now.
    var judgedNames: JudgedNames { state.withLock { $0.judged } }

    /// Why nothing may be sent to an address; nil when it may.
    func denial(of address: NetworkAddress, port: Int) -> OriginDenial? {
        let state = state.withLock { $0 }
        if state.listeners.contains(where: { $0.accepts(address, port: port) }) {
            return OriginDenial(.ownListener(address, port: port))
        }
        return state.policy.denial(of: address)
    }

    /// Why nothing may be sent to an address; nil when it may.
    func denial(of address: SocketAddress?) -> OriginDenial? {
        guard let address, let port = address.port, let network = NetworkAddress(address) else {
            return OriginDenial(.unknown)
        }
        return denial(of: network, port: port)
    }
}

extension AllowedHost {
    /// Whether no other machine can mean this one by it.
    fileprivate var isReachableFromMachineAlone: Bool {
        switch self {
        case .any: false
        case .named(let host): NetworkScope(ofHost: host) == .loopback
        }
    }
}

extension ListenAddress {
    /// Whether only this machine can connect to it. Sockets whose address isn't known may be anywhere.
    fileprivate var isReachableFromMachineAlone: Bool {
        switch self {
        case .tcp(let host, _): NetworkAddress(host).map(NetworkScope.init) == .loopback
        case .unix: true
        case .inherited: false
        }
    }

    /// Whether a connection to an address and port comes here.
    fileprivate func accepts(_ address: NetworkAddress, port: Int) -> Bool {
        guard case .tcp(let host, port) = self, let own = NetworkAddress(host) else { return false }
        return own == address || NetworkScope(of: own) == .unspecified && Self.isOfMachine(address)
    }

    /// Whether the machine has the address; when it can't be known it has.
    private static func isOfMachine(_ address: NetworkAddress) -> Bool {
        guard ![.loopback, .unspecified].contains(NetworkScope(of: address)) else { return true }
        guard let devices = try? System.enumerateDevices() else { return true }
        return devices.contains { $0.address.flatMap(NetworkAddress.init) == address }
    }
}

extension NetworkAddress {
    /// Nil for what isn't IP.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }
}
