import ArgumentParser
import BundleInstall
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

/// The name and version of an archive without a manifest.
struct NamingOptions: ParsableArguments {
    @Option(help: "For an archive without a manifest: the bundle's name.")
    var name: BundleName?

    @Option(help: "For an archive without a manifest: the release's version.")
    var version: BundleVersion?

    func validate() throws {
        guard (name == nil) == (version == nil) else {
            throw ValidationError(
                "--name and --version go together; give both, such as --name docs --version 3, or neither"
            )
        }
    }

    /// The name and version, or nil when they aren't given.
    var release: (name: BundleName, version: BundleVersion)? {
        guard let name, let version else { return nil }
        return (name, version)
    }
}

/// A manifest that isn't in the archive or the folder. For all verbs that make a release of one.
struct ManifestFileOptions: ParsableArguments {
    static let options = [path]

    private static let path = ConfigurableOption(
        "manifest",
        "The manifest, in place of the bundle.json in the archive or the folder, if there is one.",
        value: "file"
    )
    @Option(Self.path, completion: .file(extensions: ["json"])) var path: String?

    func validate() throws {
        if path?.isEmpty == true {
            throw ValidationError("--manifest is empty; name a file, such as --manifest bundle.json")
        }
    }

    /// Reads the file; nil without the option.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when it can't be read.
    func read() throws(BundleError) -> ManifestFile? {
        guard let path else { return nil }
        return try ManifestFile(path)
    }
}
