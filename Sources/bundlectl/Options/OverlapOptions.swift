import ArgumentParser
import BundleStore

/// Which bundles' URLs a release may claim too.
struct OverlapOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Let the release claim URLs of this other bundle; may be repeated. The longer prefix answers.",
            valueName: "name"
        )
    )
    var allowOverlap: [BundleName] = []
}
