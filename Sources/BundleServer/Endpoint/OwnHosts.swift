import BundleNetwork
import BundleServing
import BundleStore
import ServerCore

/// The hosts that count as the machine's own, on any port: those of its loopback interface, the one that it listens on, or
/// the addresses of all interfaces if it listens on all, and those that the user allows.
struct OwnHosts: Sendable {
    private let allowed: Set<AllowedHost>
    /// Nil when the server listens on certain addresses only.
    private let interfaces: InterfaceAddresses?

    /// - Parameters:
    ///   - listening: The address that the server listens on, as the user named it.
    ///   - allowed: The hosts that the user allows in addition.
    ///   - interfaces: The addresses of the machine, which count when the server listens on all of them.
    init(
        listening: ListenAddress,
        allowed: Set<AllowedHost>,
        interfaces: InterfaceAddresses = InterfaceAddresses()
    ) {
        self.interfaces = Self.isWildcard(listening) ? interfaces : nil
        if case .tcp(let host, _) = listening {
            let host = host.contains(":") ? "[\(host)]" : host
            self.allowed = allowed.union([.named(host.lowercased())])
        } else {
            self.allowed = allowed
        }
    }

    /// Sockets from a service manager are usually on all addresses, and don't say so here.
    private static func isWildcard(_ address: ListenAddress) -> Bool {
        switch address {
        case .tcp(let host, _): NetworkAddress(host).map { NetworkScope(of: $0) == .unspecified } ?? false
        case .inherited: true
        case .unix: false
        }
    }

    /// Whether a host is an address of this machine. A page elsewhere can't point an address to another machine, as it can
    /// a name (DNS rebinding).
    private func isInterface(_ host: String) -> Bool {
        guard let interfaces, LocalHost.isAddress(host) else { return false }
        let address = host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]
        return NetworkAddress(address).map(interfaces.contains) ?? false
    }

    /// The hosts that were named explicitly.
    var names: Set<String> { Set(allowed.compactMap { if case .named(let host) = $0 { host } else { nil } }) }

    /// Whether a host is among them; an IPv6 address has its brackets.
    func contains(_ host: String) -> Bool {
        allowed.contains(.named(host)) || allowed.contains(.any) || LocalHost.isLoopback(host) || LocalHost.isName(host)
            || isInterface(host)
    }

    /// Whether the host of a `Host` field's value is among them; false for an invalid value.
    func contains(authority: String) -> Bool {
        guard let url = try? HTTPURL("http://\(authority)"), url.endsWithAuthority else { return false }
        return contains(url.host)
    }
}
