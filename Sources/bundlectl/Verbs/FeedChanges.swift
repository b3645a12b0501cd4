import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

struct FeedUnpublish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpublish",
        abstract: "Take a release out of the feed.",
        discussion: """
            Installations that have the release keep it; “bundlectl feed revoke” ends its use there too. Its archive stays \
            for a day, since clients may have the feed before, and goes with the first change after that.

            Example:
              bundlectl feed unpublish shop@1.0.0 --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await feed.change(release.name, .unpublish(release.version), signing, output)
    }
}

struct FeedPromote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Offer a release of one channel in another one too.",
        discussion: """
            Those who follow the first channel go on being offered it. Patches from releases of the other channel are there \
            if that is stable; otherwise publish the archive again.

            Example:
              bundlectl feed promote shop@1.2.0 --from beta --to stable --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseName

    @Option(help: ArgumentHelp("A channel that offers it.", valueName: "channel"))
    var from: ChannelName

    @Option(help: ArgumentHelp("The channel that is to offer it too.", valueName: "channel"))
    var to: ChannelName

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let change = FeedChange.promote(release.version, from: from.string, to: to.string)
        try await feed.change(release.name, change, signing, output)
    }
}

struct FeedRollout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout",
        abstract: "Offer a release to a share of the installations.",
        discussion: """
            A higher share offers it to more installations, and still to all of those before. A lower one takes it back \
            from none that has installed it. Installations in one of the release's groups (“update --group”) get it whatever the share \
            is; --group replaces its groups.

            Examples:
              bundlectl feed rollout shop@1.1.0 0% --group lab --in /srv/www/releases
              bundlectl feed rollout shop@1.1.0 50% --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseName

    @Argument(help: ArgumentHelp("The share: 10%, 12.5%, 100%.", valueName: "percent"))
    var share: Rollout

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp("A group of installations that gets it in any case; may be repeated. Default: as before.")
    )
    var groups: [GroupName] = []

    @Flag(name: .customLong("no-groups"), help: "Offer it to no groups any more.")
    var hasNoGroups = false

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if hasNoGroups, !groups.isEmpty {
            throw ValidationError("--no-groups excludes --group; leave out the one or the other")
        }
    }

    func run() async throws {
        let groups = groups.isEmpty && !hasNoGroups ? nil : groups.map(\.string)
        try await feed.change(release.name, .rollOut(release.version, share, groups: groups), signing, output)
    }
}

struct FeedRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Say that a release must not be used any more.",
        discussion: """
            It isn't installed any more, and installations that use it go to the highest release that their channel \
            offers, even a lower one. That can't be undone: a corrected release has a higher version.

            Example:
              bundlectl feed revoke shop@1.1.0 --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await feed.change(release.name, .revoke(release.version), signing, output)
    }
}

struct FeedRollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Make a release the highest one again: revoke those above it.",
        discussion: """
            Higher releases are revoked in the channels that offer this one, all in one change. Installations that use \
            one of them go to the highest release that is left.

            Example:
              bundlectl feed rollback shop --to 1.0.0 --in /srv/www/releases
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @Option(help: ArgumentHelp("The release that is to be the highest.", valueName: "version"))
    var to: BundleVersion

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await feed.change(name, .rollBack(to: to), signing, output)
    }
}

struct FeedPoll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll",
        abstract: "Say how often devices may ask for the feed.",
        discussion: """
            Checks by a clock are postponed that come earlier, by that of a server, an app or “update --scheduled”; a person's \
            check isn't. Devices learn it with their next check.

            Examples:
              bundlectl feed poll 15m --in /srv/www/releases
              bundlectl feed poll none --in /srv/www/releases
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The least time from one check of a device to the next, up to 7 days: 90s, 15m, 6h, 1d; or none.",
            valueName: "duration|none"
        )
    )
    var interval: PollArgument

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await feed.change(nil, .poll(interval.seconds), signing, output)
    }
}

/// The result of the verbs of `feed`.
struct FeedChangeSummary: Report {
    let name: String
    let feed: String
    let sequence: Int64
    /// The releases that are offered otherwise than before; nil when there is none.
    let changed: [OfferSummary]?
    /// The least time in seconds between the checks of a device; nil when the feed doesn't say.
    let poll: Int64?
    /// The versions that are no longer offered; nil when there is none.
    let removed: [String]?
    /// Nil when there is none.
    let removedArchives: [String]?
    /// Those that are removed later; nil when there is none.
    let withdrawnArchives: [String]?
    /// Nil for a feed that isn't signed.
    let signedUntil: Date?
    /// What has changed of the feed itself.
    private let changes: [String]

    private enum CodingKeys: CodingKey {
        case name, feed, sequence, changed, poll, removed, removedArchives, withdrawnArchives, signedUntil
    }

    init(_ report: FeedChangeReport, of name: BundleName) {
        self.name = name.string
        feed = report.feedName
        sequence = report.sequence
        changed = report.changed.isEmpty ? nil : report.changed.map(OfferSummary.init)
        poll = report.poll
        changes = report.isPollChanged ? [PollText.line(report.poll)] : []
        removed = report.removed.isEmpty ? nil : report.removed.map(\.string)
        removedArchives = report.removedArchives.isEmpty ? nil : report.removedArchives
        withdrawnArchives = report.withdrawnArchives.isEmpty ? nil : report.withdrawnArchives
        signedUntil = report.signedUntil
    }

    var lines: [String] {
        let changes =
            (changed ?? []).map { "\(name)@\($0.version) is \($0.text)" }
            + (removed ?? []).map { "\(name)@\($0) is no longer offered" } + self.changes
        let head = changes.isEmpty ? ["nothing changes in \(Printable.line(feed))"] : changes
        return head + FileRemovals.lines(removedArchives, later: withdrawnArchives)
            + (signedUntil.map { ["signed until \(Timestamp.text($0))"] } ?? [])
    }
}

/// How often devices may ask for a feed, in words.
enum PollText {
    /// - Parameter poll: The least time in seconds from one check to the next; nil for none.
    static func line(_ poll: Int64?) -> String {
        poll.map { "devices check no more often than every \(DurationText.text($0))" }
            ?? "devices check as often as they are set to"
    }
}
