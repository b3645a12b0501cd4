import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

struct FeedShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show how a feed offers a release: to whom, its archive, its patches.",
        discussion: """
            Example:
              bundlectl feed show shop@1.1.0 --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let details = try await feed.using(output) { folder in
            let document = try folder.read(release.name)
            return OfferDetails(try document.entries.offering(release.version), of: document, at: folder.feedName)
        }
        try output.console.report(details)
    }
}

/// The result of `feed show`.
struct OfferDetails: Report {
    /// A patch that leads to the release.
    struct Patch: Encodable {
        /// The version that it leads from.
        let from: String
        let source: String
        let size: Int64
        let sha256: String
    }

    let name: String
    let feed: String
    let sequence: Int64
    let version: String
    /// As the feed has it, relative to the feed.
    let source: String
    /// Of the archive, in bytes.
    let size: Int64
    let sha256: String
    let channels: [String]
    /// In percent.
    let rollout: Double
    /// Since when it has that share; nil for all installations, or where the feed doesn't say.
    let rolloutSince: Date?
    /// Nil for none.
    let groups: [String]?
    let isCritical: Bool
    let isRevoked: Bool
    let minimumShell: String?
    let notes: String?
    /// The list of the release's files; nil when there is none.
    let contentList: String?
    /// Those from the highest version first.
    let patches: [Patch]
    private let offer: String

    private enum CodingKeys: CodingKey {
        case name, feed, sequence, version, source, size, sha256, channels, rollout, rolloutSince, groups, isCritical,
            isRevoked, minimumShell
        case notes, contentList, patches
    }

    init(_ entry: FeedEntry, of document: FeedDocument, at feed: String) {
        let offer = OfferSummary(entry)
        (name, self.feed, sequence) = (document.name.string, feed, document.sequence)
        (version, source, size, sha256) = (offer.version, entry.source, entry.size, entry.digest.hex)
        (channels, rollout, minimumShell) = (offer.channels, offer.rollout, offer.minimumShell)
        (rolloutSince, groups) = (offer.rolloutSince, offer.groups)
        (isCritical, isRevoked, notes) = (offer.isCritical, offer.isRevoked, entry.terms.notes)
        contentList = entry.contents?.list?.location
        patches = entry.patches.sorted { $1.from < $0.from }.map { patch in
            Patch(
                from: patch.from.string,
                source: patch.file.location,
                size: patch.file.size,
                sha256: patch.file.digest.hex
            )
        }
        self.offer = offer.text
    }

    var lines: [String] {
        let facts = KeyValueList.lines([
            ("offer", offer), ("share since", rolloutSince.map(Timestamp.text)),
            ("archive", "\(Printable.line(source)) (\(ByteCount.text(size)))"),
            ("sha256", sha256),
            ("content list", contentList.map(Printable.line)),
            ("feed", "\(Printable.line(feed)), number \(sequence)"),
        ])
        let table = Table.lines(
            of: patches,
            [
                .left("PATCH FROM") { $0.from }, .right("SIZE") { ByteCount.text($0.size) },
                .left("FILE") { Printable.line($0.source) },
            ]
        )
        let notes = notes.map { text in
            ["", "notes:"]
                + text.split(whereSeparator: \.isNewline).map { "  \(Printable.line(String($0)))" }
        }
        return ["\(name)@\(version)"] + facts + (patches.isEmpty ? [] : [""] + table)
            + (notes ?? [])
    }
}
