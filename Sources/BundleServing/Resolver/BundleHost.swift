import BundleStore

/// A host that is a bundle's own, where names under `localhost` can't be had: `shop=shop.example`. Nothing but the bundle answers
/// there, from its root.
///
/// A value type; safe to share between threads.
public struct BundleHost: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The host, in lower case and without a port; an IPv6 address is in its brackets.
    public let host: String

    /// Parses `NAME=HOST`. Returns nil when the name isn't one, when the host isn't one or has a port, and for names under
    /// `localhost`, each of which is a certain bundle's already.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = BundleName(String(parts[0])),
            let url = try? HTTPURL("http://\(parts[1])"), url.host == parts[1].lowercased(), !LocalHost.isName(url.host)
        else { return nil }
        self.name = name
        host = url.host
    }
}
