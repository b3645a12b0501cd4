import BundleModel
import Foundation

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

/// Why connecting to an origin, a feed or an archive is denied. It is the cause of the error that a transport throws.
///
/// A value type; safe to share between threads.
public struct OriginDenial: Error, Hashable, Sendable {
    /// What is wrong with the address.
    package enum Reason: Hashable, Sendable {
        /// It is in a network to which connections are denied.
        case scope(NetworkAddress, NetworkScope)
        /// This process listens there.
        case ownListener(NetworkAddress, port: Int)
        /// This process listens there, and the proxy is to be there too.
        case ownProxy(NetworkAddress, port: Int)
        /// It can't be determined.
        case unknown
    }

    /// What is wrong with the address.
    package let reason: Reason

    /// Makes one for a reason.
    package init(_ reason: Reason) {
        self.reason = reason
    }

    /// The error to throw for it, with the address, for logs and for the user of a command.
    ///
    /// - Parameter host: Host and port as the URL has them.
    package func error(at host: String) -> BundleError {
        BundleError(.networkUnavailable, "\(host) was not connected to: \(explanation)", remedy, cause: self)
    }

    private var remedy: Remedy? {
        guard case .scope(_, let scope) = reason, OriginAddressPolicy.allowable.contains(scope) else { return nil }
        return .allowOriginNetwork(scope.rawValue)
    }

    private var explanation: String {
        switch reason {
        case .scope(let address, let scope) where OriginAddressPolicy.allowable.contains(scope):
            "\(address) is \(scope.phrase), and the endpoint can be reached from other machines"
        case .scope(let address, let scope):
            "\(address) is \(scope.phrase), which is never connected to; correct the URL"
        case .ownListener(let address, let port):
            "this process itself listens on port \(port) of \(address); correct the origin"
        case .ownProxy(let address, let port):
            "the proxy, port \(port) of \(address), is this process itself; correct the proxy"
        case .unknown: "its address can't be determined; try again"
        }
    }
}

/// What a server needs to allow for the URLs of a manifest, judged by the URLs alone: names aren't looked up.
package enum OriginNeeds {
    /// One for each origin, and for the feed, that isn't on the internet.
    package static func warnings(_ manifest: BundleManifest) -> [Notice] {
        let origins = manifest.origins.map { (url: "origin \($0.origin)", host: $0.origin.host) }
        let feed = manifest.feed.flatMap { url in
            (try? HTTPURL(url)).map { (url: "feed \(URL.reported(url))", host: $0.host) }
        }
        return (origins + [feed].compactMap(\.self)).compactMap { url, host in
            need(of: host).map { Notice("\(url) \($0.problem)", $0.remedy) }
        }
    }

    private static func need(of host: String) -> Notice? {
        guard let scope = NetworkScope(ofHost: host), scope != .global else { return nil }
        guard OriginAddressPolicy.allowable.contains(scope) else {
            return Notice("has \(scope.phrase), which is never connected to; correct the manifest")
        }
        return Notice(
            "has \(scope.phrase), which an endpoint that other machines can reach doesn't connect to",
            .allowOriginNetwork(scope.rawValue)
        )
    }
}
