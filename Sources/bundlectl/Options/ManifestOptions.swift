import ArgumentParser
import BundleStore
import Foundation

/// The manifest of an archive without one.
struct ManifestOptions: ParsableArguments {
    @OptionGroup var naming: NamingOptions

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "For an archive without a manifest: a URL prefix that the bundle covers; may be repeated.",
            discussion: "PATH is the folder of the bundle that it maps to. Default: /.",
            valueName: "url[=path]"
        )
    )
    var origins: [OriginArgument] = []

    @Option(help: ArgumentHelp("For an archive without a manifest: the publisher's feed.", valueName: "url"))
    var feed: FeedURL?

    @Option(help: "The channel of the feed, for a feed's URL, or an archive without a manifest.")
    var channel: ChannelName?

    func validate() throws {
        guard naming.release != nil || (origins.isEmpty && feed == nil) else {
            throw ValidationError(
                "--origin and --feed describe an archive without a manifest; give --name and --version too, such as "
                    + "--name docs --version 3"
            )
        }
        var seen: Set<OriginURL> = []
        for origin in origins.map(\.mapping.origin) where !seen.insert(origin).inserted {
            throw ValidationError("--origin “\(origin)” is given twice; keep one")
        }
    }

    /// The manifest that the options describe, or nil without options.
    ///
    /// - Throws: `BundleError` with code `invalidManifest` when one of them isn't allowed in a manifest.
    func manifest() throws(BundleError) -> BundleManifest? {
        guard let (name, version) = naming.release else { return nil }
        return try BundleManifest(
            name: name,
            version: version,
            origins: origins.map(\.mapping),
            feed: feed?.url.absoluteString,
            channel: channel?.string ?? BundleManifest.defaultChannel
        )
    }
}
