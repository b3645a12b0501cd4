import ArgumentParser
import BundleNetwork
import BundlePublishing
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

    @Option(
        help: ArgumentHelp(
            "Read the feed from here this once, and not where it is followed: a folder with a feed, as mirror makes it, or with such a "
                + "folder for each bundle, by its name.",
            valueName: "place"
        ),
        completion: .directory
    )
    var from: InstallSource?

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
        if feed != nil, from != nil {
            throw ValidationError("--feed and --from both say where the feed is; leave out the one or the other")
        }
        if from?.url != nil, Set(names).count != 1 {
            throw ValidationError("--from with a URL is the feed of one bundle; name the bundle")
        }
        if acceptOlderFeed, names.isEmpty {
            throw ValidationError("--accept-older-feed is for bundles whose feeds were started over; name them")
        }
    }

    /// The bundles, and the feeds that are given.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when --from leads to no feed, `invalidFeed` when that can't be read,
    ///   `invalidArgument` when it is another bundle's.
    func selection(in store: BundleStore) throws(BundleError) -> FeedSelection {
        let selected = names.isEmpty ? nil : Set(names)
        if let url = feed?.url ?? from?.url, let name = names.first {
            return FeedSelection(names: selected, feeds: [name: url])
        }
        guard let from else { return FeedSelection(names: selected, feeds: [:]) }
        let feeds = try Self.feeds(in: from, of: selected, among: Set(store.snapshot.bundles.keys))
        return FeedSelection(names: Set(feeds.keys), feeds: feeds)
    }

    private static func feeds(
        in place: InstallSource,
        of names: Set<BundleName>?,
        among installed: Set<BundleName>
    ) throws(BundleError) -> [BundleName: URL] {
        let path = place.text
        func feed(in folder: String) -> String { "\(folder)/\(FeedFolder.feedFileName)" }
        func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        guard place.isFolder, !isThere(feed(in: path)) else {
            let file = place.isFolder ? feed(in: path) : path
            // Only the name counts here.
            let bytes = try InputDocument(file, atMost: Feed.maximumByteCount).bytes
            let name = try FeedDocument.parse(bytes, named: Printable.line(file)).name
            guard names.map({ $0 == [name] }) ?? true else {
                throw BundleError(
                    .invalidArgument,
                    "\(Printable.line(file)) is the feed of \(name) alone; name that bundle, or another place"
                )
            }
            return [name: InstallSource.url(file)]
        }
        let found = (names ?? installed).filter { isThere(feed(in: "\(path)/\($0)")) }
        if let missing = (names ?? []).subtracting(found).min() {
            throw BundleError(
                .inputUnavailable,
                "\(Printable.line(path)) has neither \(FeedFolder.feedFileName) nor \(missing)/\(FeedFolder.feedFileName); name the "
                    + "folder of the feed"
            )
        }
        guard !found.isEmpty else {
            throw BundleError(
                .inputUnavailable,
                "\(Printable.line(path)) has no feed of a bundle that is installed; name the folder of the feed, or install from it"
            )
        }
        return Dictionary(uniqueKeysWithValues: found.map { ($0, InstallSource.url(feed(in: "\(path)/\($0)"))) })
    }
}

/// The bundles that a verb is about, and where their feeds are read this once.
struct FeedSelection {
    /// Nil for all.
    let names: Set<BundleName>?
    /// In place of those that are followed.
    let feeds: [BundleName: URL]
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

/// What shows the bundles, and which installation it is.
struct ShellOptions: ParsableArguments {
    static let options = [version, groups]

    private static let version = ConfigurableOption(
        "shell-version",
        "The version of the shell that shows the bundles. Without it, a release that needs a certain one isn't installed.",
        value: "version"
    )
    @Option(Self.version) var version: BundleVersion?

    private static let groups = ConfigurableOption.list(
        "group",
        "A group that this installation is in, such as one of test devices: it gets what feeds offer to it, whatever share of the "
            + "installations that is offered to; may be repeated.",
        value: "group"
    )
    @Option(Self.groups) var groups: [GroupName] = []
}
