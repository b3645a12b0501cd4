import ArgumentParser
import BundleNetwork
import BundleUpdate

/// What updates fetch on a metered link.
struct MeteredOptions: ParsableArguments {
    @Option(
        name: .customLong("on-metered"),
        help: "What is fetched on a metered link (bundlectl network metered): never anything, patches only, always."
    )
    var policy = MeteredPolicy.patches
}

extension MeteredPolicy: ExpressibleByArgument {}
