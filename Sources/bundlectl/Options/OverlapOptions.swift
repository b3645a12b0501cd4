import ArgumentParser
import BundleStore

/// Which bundles' URLs a release may claim too.
struct OverlapOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Let the release claim URLs that this other bundle answers; may be repeated. The longer prefix answers then.",
            valueName: "name"
        )
    )
    var allowOverlap: [BundleName] = []
}
