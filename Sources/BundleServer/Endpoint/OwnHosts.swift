import BundleServing
import BundleStore
import ServerCore

/// The hosts that count as the machine's own, on any port: those of its loopback interface, the one that it listens on,
/// and those that the user allows.
struct OwnHosts: Sendable {
    private let allowed: Set<AllowedHost>

    /// - Parameters:
    ///   - listening: The address that the server listens on, as the user named it.
    ///   - allowed: The hosts that the user allows in addition.
    init(listening: ListenAddress, allowed: Set<AllowedHost>) {
        if case .tcp(let host, _) = listening {
            let host = host.contains(":") ? "[\(host)]" : host
            self.allowed = allowed.union([.named(host.lowercased())])
        } else {
            self.allowed = allowed
        }
    }

    /// The hosts that were named explicitly.
    var names: Set<String> { Set(allowed.compactMap { if case .named(let host) = $0 { host } else { nil } }) }

    /// Whether a host is among them; an IPv6 address has its brackets.
    func contains(_ host: String) -> Bool {
        allowed.contains(.named(host)) || allowed.contains(.any) || LocalHost.isLoopback(host) || LocalHost.isName(host)
    }

    /// Whether the host of a `Host` field's value is among them; false for an invalid value.
    func contains(authority: String) -> Bool {
        guard let url = try? HTTPURL("http://\(authority)"), url.endsWithAuthority else { return false }
        return contains(url.host)
    }
}
