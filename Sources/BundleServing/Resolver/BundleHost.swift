import BundleStore

/// A host that belongs to one bundle, for use where names under `localhost` can't be used: `shop=shop.example`. Only
/// that bundle is served there, from its root.
///
/// A value type; safe to share between threads.
public struct BundleHost: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The host, in lower case and without a port; an IPv6 address has its brackets.
    public let host: String

    /// Parses `NAME=HOST`. Returns nil when the name or the host is invalid, when the host has a port, and for names
    /// under `localhost`, each of which already belongs to a certain bundle.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = BundleName(String(parts[0])),
            let url = try? HTTPURL("http://\(parts[1])"), url.host == parts[1].lowercased(), !LocalHost.isName(url.host)
        else { return nil }
        self.name = name
        host = url.host
    }
}
