import ArgumentParser
import BundleStore

/// Which bundles' URLs a release may also claim.
struct OverlapOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Allow the release to claim URLs of this other bundle; may be repeated. The longer prefix wins.",
            valueName: "name"
        )
    )
    var allowOverlap: [BundleName] = []
}
