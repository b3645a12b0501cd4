import BundleModel


/// Which addresses origins, feeds and archives may have: a pure decision, made for every connection.
///
/// A manifest says where its origins are, and the endpoint asks them on behalf of anyone who reaches it. So a manifest
/// may name the machine and its network only if the endpoint's clients have access to them anyway, or if the operator
/// permits it; addresses that no web server can have are never allowed.
///
/// A value type; safe to share between threads.
public struct OriginAddressPolicy: Hashable, Sendable {
    /// The scopes that may be connected to in addition to the internet.
    public let allowed: Set<NetworkScope>

    /// Ignores those of `scopes` that can't be allowed: all but ``NetworkScope/loopback`` and ``NetworkScope/private``.
    public init(allowing scopes: Set<NetworkScope>) {
        allowed = scopes.intersection(Self.allowable)
    }

    /// The scopes that may be allowed.
    public static let allowable: Set<NetworkScope> = [.loopback, .private]

    /// For commands, and for an endpoint that is reachable from this machine only.
    public static let local = OriginAddressPolicy(allowing: allowable)

    /// Why connecting to an address is denied; nil when it is allowed.
    package func denial(of address: NetworkAddress) -> OriginDenial? {
        let scope = NetworkScope(of: address)
        return scope == .global || allowed.contains(scope) ? nil : OriginDenial(.scope(address, scope))
    }
}
