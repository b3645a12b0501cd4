import ArgumentParser
import BundleNetwork
import BundleServer
import BundleServing
import BundleStore
import HTTPCore

/// Where bundles are served besides their origins and the names under `localhost`, and whether they use the network.
struct ServingOptions: ParsableArguments {
    static let options = [mounts, hosts, sharedOrigin, publicURLs, offline]

    private static let mounts = ConfigurableOption.list(
        "mount",
        "Also serve a bundle at a path; may be repeated.",
        value: "name=/path"
    )
    @Option(Self.mounts) var mounts: [Mount] = []

    private static let hosts = ConfigurableOption.list(
        "host",
        "Serve one bundle, and nothing else, on a host; may be repeated. On this machine each has NAME.localhost.",
        value: "name=host"
    )
    @Option(Self.hosts) var hosts: [BundleHost] = []

    private static let sharedOrigin = ConfigurableOption.flag(
        "shared-origin",
        "Serve all bundles at /NAME/ on every host, also to browsers, which then treat them as one origin."
    )
    @Flag(Self.sharedOrigin) var sharedOrigin = false

    private static let publicURLs = ConfigurableOption.list(
        "public-url",
        "Where a reverse proxy passes requests on to the server, as clients see it: its scheme and path are theirs, and "
            + "its host is allowed; may be repeated.",
        value: "public-url"
    )
    @Option(Self.publicURLs) var publicURLs: [OriginURL] = []

    private static let offline = ConfigurableOption.flag(
        "offline",
        "Don't use the network: what is neither bundled nor cached is unavailable."
    )
    @Flag(Self.offline) var offline = false

    /// All the addresses.
    var addresses: BundleAddresses {
        BundleAddresses(mounts: mounts, hosts: hosts, sharesOrigin: sharedOrigin, publicURLs: publicURLs)
    }

    func validate() throws {
        for (index, own) in hosts.enumerated() where hosts[..<index].contains(where: { $0.host == own.host }) {
            throw ValidationError("--host: \(own.host) is given to two bundles; keep one")
        }
        for (index, url) in publicURLs.enumerated() where publicURLs[..<index].contains(where: { $0.root == url.root })
        {
            throw ValidationError("--public-url: \(url.root) is given two paths; keep one")
        }
        for (index, mount) in mounts.enumerated() {
            guard let other = mounts[..<index].first(where: { $0.components == mount.components }) else { continue }
            let path = "/" + mount.components.map { "\($0)/" }.joined()
            throw ValidationError(
                other.name == mount.name
                    ? "--mount: \(path) is given to \(mount.name) twice; keep one"
                    : "--mount: \(Printable.text(path)) is given to \(other.name) and to \(mount.name); keep one, or give the "
                        + "other a path of its own, such as --mount \(mount.name)=/\(mount.name)/"
            )
        }
    }
}

/// The fields that the endpoint adds to each response.
struct ResponseFieldOptions: ParsableArguments {
    static let options = [headers, origins, crossOriginIsolated]

    private static let headers = ConfigurableOption.list(
        "header",
        "Add a field to each response that lacks it; may be repeated. A manifest's own fields win.",
        value: "name: value"
    )
    @Option(name: Self.headers.names, help: Self.headers.help, transform: ResponseFieldOptions.field)
    var headers: [HeaderField] = []

    private static let origins = ConfigurableOption.list(
        "cors",
        "Allow scripts of this origin to read the responses, * for any; may be repeated.",
        value: "origin"
    )
    @Option(Self.origins) var origins: [AllowedOrigin] = []

    private static let crossOriginIsolated = ConfigurableOption.flag(
        "cross-origin-isolated",
        "Isolate pages from other origins, for SharedArrayBuffer: COOP, COEP and CORP."
    )
    @Flag(Self.crossOriginIsolated) var crossOriginIsolated = false

    /// The fields to add; an explicit one takes precedence over the isolation's.
    var fields: [HeaderField] { (crossOriginIsolated ? HeaderField.crossOriginIsolation : []) + headers }

    /// Reads `Name: value`, and explains what is wrong when it is invalid.
    static func field(_ argument: String) throws -> HeaderField {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
        guard parts.count == 2, let field = HeaderField(name: String(parts[0]), value: String(value)) else {
            throw ValidationError(
                HeaderField.isReserved(String(parts[0]))
                    ? "the server sets \(parts[0]) itself; leave it out"
                    : "a field is a name, a colon and a value in printable ASCII: 'Referrer-Policy: no-referrer'"
            )
        }
        return field
    }
}

/// The bundles, the versions that are served, and their addresses, as `serve` prints them.
enum AddressLines {
    /// A line for each bundle that is served, with its public address if it has one; none behind a Unix socket without a
    /// public URL, where the proxy in front determines the host.
    ///
    /// - Parameter endpoint: The endpoint's own URL.
    static func text(_ snapshot: StoreSnapshot, _ addresses: BundleAddresses, at endpoint: String) -> String {
        let isReachable = endpoint.hasPrefix("http")
        guard isReachable || !addresses.publicURLs.isEmpty else { return "" }
        return snapshot.sortedBundles.compactMap(\.serving).map { release in
            let url =
                publicAddress(of: release.name, addresses)
                ?? (isReachable ? addresses.url(of: release.name, at: endpoint) : nil)
            return "\(release.name) \(release.version): \(url ?? missing(release.name))\n"
        }.joined()
    }

    /// The address below a public URL; nil for a bundle that has none there.
    private static func publicAddress(of name: BundleName, _ addresses: BundleAddresses) -> String? {
        addresses.publicURLs.lazy.map(\.description).compactMap { root in
            addresses.url(of: name, at: root).flatMap { $0.hasPrefix(root) ? $0 : nil }
        }.first
    }

    private static func missing(_ name: BundleName) -> String {
        "has no address: --host \(name)=HOST, --mount \(name)=/PATH or --shared-origin gives it one"
    }
}
