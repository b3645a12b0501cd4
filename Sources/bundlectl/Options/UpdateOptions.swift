import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
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

/// Whether a person or a clock runs the program.
struct ScheduleOptions: ParsableArguments {
    @Flag(
        name: .customLong("scheduled"),
        help:
            "Run by a clock: don't ask a feed that has failed before its pause is over, and leave out a bundle that another process updates."
    )
    var isScheduled = false
}

/// When a release that an update has installed becomes active.
struct ActivationOptions: ParsableArguments {
    static let options = [activate.option]

    private static let activate = DefaultedOption(
        "activate",
        "When an update becomes active: now; next-start, when a server or an app starts with the store next; when-idle, "
            + "when nobody has asked a server for anything of the bundle for a while.",
        value: "when",
        default: ActivationMode.now
    )
    @Option(Self.activate) var activate: ActivationMode
}

extension ActivationMode: ExpressibleByArgument {}

/// What updates fetch on a metered link.
struct MeteredOptions: ParsableArguments {
    static let options = [policy.option]

    private static let policy = DefaultedOption(
        "on-metered",
        "What is fetched on a metered link (bundlectl network metered): never anything, patches only, always.",
        default: MeteredPolicy.patches
    )
    @Option(Self.policy) var policy: MeteredPolicy
}

extension MeteredPolicy: ExpressibleByArgument {}

/// What shows the bundles.
struct ShellOptions: ParsableArguments {
    static let options = [version]

    private static let version = ConfigurableOption(
        "shell-version",
        "The version of the shell that shows the bundles. Without it, a release that needs a certain one isn't installed.",
        value: "version"
    )
    @Option(Self.version) var version: BundleVersion?
}
