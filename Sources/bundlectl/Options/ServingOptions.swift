import ArgumentParser
import BundleServing

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

    @Flag(help: "Don't use the network: what is neither bundled nor cached is unavailable.")
    var offline = false

    /// All the addresses.
    var addresses: BundleAddresses { BundleAddresses(mounts: mounts, hosts: hosts, sharesOrigin: sharedOrigin) }

    func validate() throws {
        for (index, own) in hosts.enumerated() where hosts[..<index].contains(where: { $0.host == own.host }) {
            throw ValidationError("--host: \(own.host) is given to two bundles; keep one")
        }
    }
}
