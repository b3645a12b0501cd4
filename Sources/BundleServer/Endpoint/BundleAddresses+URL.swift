import BundleServing
import BundleStore

extension BundleAddresses {
    /// The URL at which a bundle opens in browsers; nil when there is none.
    ///
    /// Pure.
    ///
    /// - Parameter endpoint: The endpoint's own URL, such as `http://127.0.0.1:8080`, or a public one, such as
    ///   `https://kiosk.example/kiosk/`, out of whose path no address leads.
    public func url(of name: BundleName, at endpoint: String) -> String? {
        guard let url = try? HTTPURL(endpoint) else { return nil }
        let (scheme, port) = ("\(url.scheme.rawValue)://", url.port.map { ":\($0)" } ?? "")
        if let own = hosts.first(where: { $0.name == name }) {
            return publicURLs.first { $0.host == own.host }?.description ?? "\(scheme)\(own.host)\(port)/"
        }
        let (mount, isLocal) = (mounts.first { $0.name == name }?.components, Self.isReachedByLoopback(url.host))
        let root = url.path.isEmpty ? "/" : String(Substring(url.path))
        if mount == nil, isLocal, root == "/", let host = LocalHost.name(of: name) { return "\(scheme)\(host)\(port)/" }
        let host = isLocal && !LocalHost.isLoopback(url.host) ? "127.0.0.1" : url.host
        return (mount ?? (sharesOrigin ? [name.string] : nil)).map {
            "\(scheme)\(host)\(port)\(root)" + $0.map { "\(PercentEncoding.encode(component: $0))/" }.joined()
        }
    }

    /// Whether an endpoint that listens there is reachable by names under `localhost`, as one on all addresses is.
    private static func isReachedByLoopback(_ host: String) -> Bool {
        LocalHost.isLoopback(host) || ["0.0.0.0", "[::]"].contains(host)
    }
}
