import ArgumentParser
import BundleStore
import Foundation

/// Which bundles to check, and with which feed.
struct FeedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The feed's URL, instead of the one that is followed; requires one NAME. file:///media/usb/feed.json is one on a "
                + "stick.",
            valueName: "feed-url"
        )
    )
    var feed: FeedPlace?

    @Flag(
        help: ArgumentHelp(
            "Accept a feed that is older than one seen, because its publisher has started it over; requires a NAME."
        )
    )
    var acceptOlderFeed = false

    @Argument(help: "The bundles. Default: all that have a feed.")
    var names: [BundleName] = []

    func validate() throws {
        if feed != nil, Set(names).count != 1 {
            throw ValidationError("--feed is the feed of one bundle; name the bundle")
        }
        if acceptOlderFeed, names.isEmpty {
            throw ValidationError("--accept-older-feed is for bundles whose feeds were started over; name them")
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
