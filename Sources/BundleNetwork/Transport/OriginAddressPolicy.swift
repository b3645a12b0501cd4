/// Which addresses origins, feeds and archives may have: a pure decision, to be made for every connection.
///
/// A manifest says where its origins are, and the endpoint asks there for whoever reaches it. So the machine and its network are
/// open to a manifest only where they are open to the endpoint's clients anyway, or where the operator says so; what can't be a
/// web server's address never is.
///
/// A value type; safe to share between threads.
public struct OriginAddressPolicy: Hashable, Sendable {
    /// The scopes that may be connected to besides the internet.
    public let allowed: Set<NetworkScope>

    /// Of `scopes` those count that may be allowed at all: ``NetworkScope/loopback`` and ``NetworkScope/private``.
    public init(allowing scopes: Set<NetworkScope>) {
        allowed = scopes.intersection(Self.allowable)
    }

    /// What may be allowed.
    public static let allowable: Set<NetworkScope> = [.loopback, .private]

    /// For what a person on the machine runs, and for an endpoint that only they can reach.
    public static let local = OriginAddressPolicy(allowing: allowable)

    /// Why an address may not be connected to; nil when it may.
    public func denial(of address: NetworkAddress) -> OriginDenial? {
        let scope = NetworkScope(of: address)
        return scope == .global || allowed.contains(scope) ? nil : OriginDenial(.scope(address, scope))
    }
}
