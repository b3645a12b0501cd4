import BundleNetwork
import BundleStore
import BundleTransport
import HTTPCore
import ServerCore

extension OriginNetwork {
    /// Registers the addresses that an endpoint listens on, which are never connected to. The endpoint may connect to
    /// the machine and its network if it is reachable from the machine only. One that serves other hosts isn't: a
    /// reverse proxy or a tunnel forwards requests from elsewhere.
    ///
    /// - Parameters:
    ///   - addresses: The endpoint's own addresses, with their actual ports.
    ///   - operators: The addresses for operators.
    ///   - hosts: The hosts that the operator has it serve, in addition to the machine's own.
    func serve(at addresses: [ListenAddress], operators: [ListenAddress], hosts: Set<AllowedHost> = []) {
        let isLocal =
            addresses.allSatisfy(\.isReachableFromMachineAlone) && hosts.allSatisfy(\.isReachableFromMachineAlone)
        serve(at: (addresses + operators).compactMap(\.listener), isLocal: isLocal)
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

    /// Nil for a listener that no connection to an IP address reaches.
    fileprivate var listener: OriginNetwork.Listener? {
        guard case .tcp(let host, let port) = self, let address = NetworkAddress(host) else { return nil }
        return OriginNetwork.Listener(address, port: port)
    }
}
