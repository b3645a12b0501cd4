import BundleModel
import HTTPCore

/// Which proxy requests go through. This machine is never reached through one.
///
/// A value type; safe to share between threads.
public struct ForwardProxies: Sendable {
    /// All hosts are connected to directly.
    public static let none = ForwardProxies(http: nil, https: nil)

    /// A proxy that can't be used is an error of the requests that are to go through it.
    package typealias Choice = Result<ForwardProxy?, BundleError>

    private let http: Choice
    private let https: Choice
    private let exclusions: ProxyExclusions

    /// - Parameters:
    ///   - http: For `http` URLs.
    ///   - https: For `https` URLs: it is asked for a tunnel, in which the host's certificate is checked.
    ///   - excluded: The hosts that are connected to directly, as in `NO_PROXY`: names, which stand for their subdomains
    ///     too, addresses, networks such as `10.0.0.0/8`, each with a port if need be, or `*`, separated by commas or
    ///     spaces.
    public init(http: ForwardProxy?, https: ForwardProxy?, excluding excluded: String = "") {
        self.init(http: .success(http), https: .success(https), excluding: excluded)
    }

    package init(http: Choice, https: Choice, excluding excluded: String) {
        self.http = http
        self.https = https
        exclusions = ProxyExclusions(excluded)
    }

    /// The proxy for a host; nil when it is connected to directly.
    ///
    /// - Parameter host: A name or an address, an IPv6 address without its brackets.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the proxy for it can't be used.
    func proxy(isSecure: Bool, host: String, port: Int) throws(BundleError) -> ForwardProxy? {
        let name = host.lowercased().trimmingFinalDot
        // A proxy on another machine would ask itself.
        guard NetworkScope(ofHost: name) != .loopback, !exclusions.contains(name, port: port) else { return nil }
        return try (isSecure ? https : http).get()
    }
}
