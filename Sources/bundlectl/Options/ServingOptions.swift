import ArgumentParser
import BundleServing
import BundleStore

/// Where bundles are served besides their origins and the names under `localhost`, and whether they use the network.
struct ServingOptions: ParsableArguments {
    @Option(
        name: .customLong("mount"),
        help: ArgumentHelp("Also serve a bundle at a path; may be repeated.", valueName: "name=/path")
    )
    var mounts: [Mount] = []

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "Serve one bundle, and nothing else, on a host; may be repeated. On this machine each has NAME.localhost.",
            valueName: "name=host"
        )
    )
    var hosts: [BundleHost] = []

    @Flag(
        help: "Serve all bundles at /NAME/ on every host, also to browsers, which then treat them as one origin."
    )
    var sharedOrigin = false

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "Where a reverse proxy passes requests on to the server, as clients see it: its scheme and path are theirs, and "
                + "its host is allowed; may be repeated.",
            valueName: "public-url"
        )
    )
    var publicURLs: [OriginURL] = []

    @Flag(help: "Don't use the network: what is neither bundled nor cached is unavailable.")
    var offline = false

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
