import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

/// The verbs of publishers are apart from those of the store, of which “rollback” is one too.
struct FeedGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract:
            "Show and change what a feed offers: list, show, unpublish, promote, rollout, advance, poll, revoke, rollback, refresh, check.",
        discussion: """
            Each change replaces the feed in one step and raises its sequence number, by which installations tell an \
            older feed from a newer one. A feed that is signed is signed again, for which the online key is enough.

            Examples:
              bundlectl feed list --in /srv/www/releases
              bundlectl feed rollout shop@1.1.0 50% --in /srv/www/releases
              bundlectl feed promote shop@1.2.0 --from beta --to stable --in /srv/www/releases
            """,
        subcommands: [
            FeedList.self, FeedShow.self, FeedUnpublish.self, FeedPromote.self, FeedRollout.self, FeedAdvance.self,
            FeedPoll.self,
            FeedRevoke.self, FeedRollback.self, FeedRefresh.self, FeedCheck.self,
        ]
    )
}

/// The place whose feed a publisher changes.
struct FeedFolderOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "The place that \(FeedFolder.feedFileName) is in: a folder, s3://BUCKET/PREFIX or oci://REGISTRY/REPOSITORY.",
            valueName: "place"
        ),
        completion: .directory,
        transform: PublishedPlace.init(argument:)
    )
    var place: PublishedPlace

    @OptionGroup var access: PlaceAccessOptions

    func validate() throws {
        if place.isEmpty {
            throw ValidationError("--in is empty; name the folder of the feed, such as --in public/shop")
        }
    }

    /// Reads the feed, or changes it.
    ///
    /// - Parameter body: Is called again where others publish at the same time.
    func using<Result>(_ output: OutputOptions, _ body: (FeedFolder) throws -> Result) async throws -> Result {
        try await access.publishing(to: place, output, body)
    }

    /// Changes the feed of a bundle, and reports that.
    ///
    /// - Parameter name: The bundle; nil for the feed's.
    func change(
        _ name: BundleName?,
        _ change: FeedChange,
        _ signing: SigningOptions,
        _ output: OutputOptions
    ) async throws {
        let keys = try signing.signingKeys()
        let (report, name) = try await using(output) { folder in
            let name = try name ?? folder.read().name
            return (try folder.change(name, change, signing: keys), name)
        }
        try output.console.report(FeedChangeSummary(report, of: name))
    }
}

struct FeedList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the releases that a feed offers.",
        discussion: """
            Example:
              bundlectl feed list --in /srv/www/releases
            """
    )

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try output.console.report(try await feed.using(output) { FeedListing(try $0.read(), at: $0.feedName) })
    }
}

/// The result of `feed list`.
struct FeedListing: Report {
    /// A release as the feed offers it. Its document has the offer's keys and its own.
    struct Entry: Encodable {
        let offer: OfferSummary
        /// Of the archive, in bytes.
        let size: Int64
        let patchCount: Int
        /// Nil when no patch leads to it.
        let smallestPatchSize: Int64?
        let hasContentList: Bool

        private enum CodingKeys: CodingKey {
            case size, patchCount, smallestPatchSize, hasContentList
        }

        init(_ entry: FeedEntry) {
            offer = OfferSummary(entry)
            size = entry.size
            patchCount = entry.patches.count
            smallestPatchSize = entry.patches.map(\.file.size).min()
            hasContentList = entry.contents?.list != nil
        }

        func encode(to encoder: any Encoder) throws {
            try offer.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(size, forKey: .size)
            try container.encode(patchCount, forKey: .patchCount)
            try container.encodeIfPresent(smallestPatchSize, forKey: .smallestPatchSize)
            try container.encode(hasContentList, forKey: .hasContentList)
        }

        /// Everything that has no column of its own.
        fileprivate var remark: String {
            ((offer.isRevoked ? ["revoked"] : []) + offer.conditions + (hasContentList ? [] : ["no content list"]))
                .joined(separator: ", ")
        }

        /// How many patches there are, and the size of the smallest.
        fileprivate var patches: String {
            smallestPatchSize.map { "\(patchCount), from \(ByteCount.text($0))" } ?? "none"
        }
    }

    let name: String
    let feed: String
    let sequence: Int64
    /// The least time in seconds between the checks of a device; nil when the feed doesn't say.
    let poll: Int64?
    /// The highest first.
    let versions: [Entry]

    init(_ document: FeedDocument, at feed: String) {
        (name, self.feed, sequence) = (document.name.string, feed, document.sequence)
        poll = document.poll
        versions = document.entries.map(Entry.init)
    }

    var lines: [String] {
        let pace = poll.map { [PollText.line($0)] } ?? []
        guard !versions.isEmpty else { return ["\(Printable.line(feed)) offers nothing of \(name)"] + pace }
        return Table.lines(
            of: versions,
            [
                .left("VERSION") { $0.offer.version },
                .left("CHANNELS") { $0.offer.channels.map(Printable.line).joined(separator: ", ") },
                .right("ROLLOUT") { Rollout(percent: $0.offer.rollout).map { "\($0)" } ?? "" },
                .right("SIZE") { ByteCount.text($0.size) }, .left("PATCHES") { $0.patches },
                .left("REMARKS") { $0.remark },
            ]
        ) + pace
    }
}

/// A release as a feed offers it.
struct OfferSummary: Encodable {
    let version: String
    let channels: [String]
    /// In percent.
    let rollout: Double
    /// Since when it has that share; nil for all installations, or where the feed doesn't say.
    let rolloutSince: Date?
    /// The groups that get it at any share; nil for none.
    let groups: [String]?
    let isCritical: Bool
    let isRevoked: Bool
    let minimumShell: String?
    /// The share in words, which isn't encoded.
    private let share: String?

    private enum CodingKeys: CodingKey {
        case version, channels, rollout, rolloutSince, groups, isCritical, isRevoked, minimumShell
    }

    init(_ entry: FeedEntry) {
        let terms = entry.terms
        version = entry.version.string
        channels = terms.offeringChannels
        rollout = terms.rollout.percent
        rolloutSince = terms.rolloutSince
        groups = terms.groups.isEmpty ? nil : terms.groups
        isCritical = terms.isCritical
        isRevoked = terms.isRevoked
        minimumShell = terms.minimumShell?.string
        share = terms.rollout == .everyone ? nil : "\(terms.rollout)"
    }

    /// Such as `offered for stable, to 10% of the installations, critical`.
    var text: String {
        guard !isRevoked else { return "revoked" }
        let audience = "offered for " + channels.map(Printable.line).joined(separator: " and ")
        return ([audience, share.map { "to \($0) of the installations" }].compactMap(\.self) + conditions)
            .joined(separator: ", ")
    }

    /// What else is said of it.
    var conditions: [String] {
        [
            groups.map { names in
                "to group\(names.count == 1 ? "" : "s") \(names.map(Printable.line).joined(separator: " and ")) in any case"
            },
            isCritical ? "critical" : nil,
            minimumShell.map { "for shell \($0) and above" },
        ].compactMap(\.self)
    }
}
