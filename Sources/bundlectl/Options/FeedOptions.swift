import ArgumentParser
import BundleStore
import Foundation

/// Which bundles to check, and with which feed.
struct FeedOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The feed's URL, instead of the manifest's; requires one NAME.", valueName: "url"))
    var feed: FeedURL?

    @Argument(help: "The bundles. Default: all that have a feed.")
    var names: [BundleName] = []

    func validate() throws {
        if feed != nil, Set(names).count != 1 {
            throw ValidationError("--feed is the feed of one bundle; name the bundle")
        }
    }

    /// The bundles that are named; nil for all.
    var selection: Set<BundleName>? { names.isEmpty ? nil : Set(names) }

    /// The feed that is given, with its bundle.
    var feeds: [BundleName: URL] {
        guard let feed, let name = names.first else { return [:] }
        return [name: feed.url]
    }
}
