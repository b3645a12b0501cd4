import ArgumentParser
import BundleStore
import Foundation

/// What an archive without a manifest is to be.
struct ManifestOptions: ParsableArguments {
    @Option(help: "For an archive without a manifest: the bundle's name.")
    var name: BundleName?

    @Option(help: "For an archive without a manifest: the release's version.")
    var version: BundleVersion?

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "For an archive without a manifest: a URL prefix that the bundle answers for; may be repeated.",
            discussion: "PATH is the folder of the bundle that stands for it, / unless given.",
            valueName: "url[=path]"
        )
    )
    var origins: [OriginArgument] = []

    @Option(help: ArgumentHelp("For an archive without a manifest: the publisher's feed.", valueName: "url"))
    var feed: HTTPAddress?

    @Option(help: "For an archive without a manifest: the feed's channel to follow.")
    var channel: String?

    func validate() throws {
        guard (name == nil) == (version == nil) else {
            throw ValidationError("--name and --version go together; give both, or neither.")
        }
        guard name != nil || (origins.isEmpty && feed == nil && channel == nil) else {
            throw ValidationError(
                "--origin, --feed and --channel describe an archive without a manifest; give --name and --version too."
            )
        }
        if channel == "" { throw ValidationError("--channel must not be empty.") }
    }

    /// The manifest that the options make, or nil when they make none.
    var manifest: BundleManifest? {
        guard let name, let version else { return nil }
        return BundleManifest(
            name: name,
            version: version,
            origins: origins.map(\.mapping),
            feed: feed?.url.absoluteString,
            channel: channel ?? BundleManifest.defaultChannel
        )
    }
}
