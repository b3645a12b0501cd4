import ArgumentParser
import BundleServing

/// Where bundles answer on the endpoint's own paths.
struct MountOptions: ParsableArguments {
    @Option(
        name: .customLong("mount"),
        help: ArgumentHelp("Also answer for a bundle at a path; may be repeated.", valueName: "name=/path")
    )
    var mounts: [Mount] = []

    @Flag(help: "Never touch the network: what is neither bundled nor cached is not available.")
    var offline = false
}
