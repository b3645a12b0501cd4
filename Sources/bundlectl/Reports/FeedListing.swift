import BundleNetwork
import BundleStore

/// The result of `feed list`.
struct FeedListing: Report {
    /// A release as the feed offers it.
    struct Entry: Encodable {
        let version: String
        let channels: [String]
        /// In percent.
        let rollout: Double
        let isCritical: Bool
        let isRevoked: Bool
        let minimumShell: String?
        /// Of the archive, in bytes.
        let size: Int64
        let patchCount: Int
        /// Nil when no patch leads to it.
        let smallestPatchSize: Int64?
        let hasContentList: Bool

        init(_ entry: FeedEntry) {
            let offer = OfferSummary(entry)
            (version, channels, rollout) = (offer.version, offer.channels, offer.rollout)
            (isCritical, isRevoked, minimumShell) = (
                offer.isCritical, offer.isRevoked, offer.minimumShell
            )
            size = entry.size
            patchCount = entry.patches.count
            smallestPatchSize = entry.patches.map(\.file.size).min()
            hasContentList = entry.contents?.list != nil
        }

        /// Everything that has no column of its own.
        fileprivate var remark: String {
            let remarks = [
                isRevoked ? "revoked" : nil, isCritical ? "critical" : nil,
                minimumShell.map { "for shell \($0) and above" },
                hasContentList ? nil : "no content list",
            ]
            return remarks.compactMap(\.self).joined(separator: ", ")
        }

        /// How many patches there are, and the size of the smallest.
        fileprivate var patches: String {
            smallestPatchSize.map { "\(patchCount), from \(ByteCount.text($0))" } ?? "none"
        }
    }

    let name: String
    let feed: String
    let sequence: Int64
    /// The highest first.
    let versions: [Entry]

    init(_ document: FeedDocument, at feed: String) {
        (name, self.feed, sequence) = (document.name.string, feed, document.sequence)
        versions = document.entries.map(Entry.init)
    }

    var lines: [String] {
        guard !versions.isEmpty else { return ["\(Printable.line(feed)) offers nothing of \(name)"] }
        var table = Table([
            ("VERSION", .left), ("CHANNELS", .left), ("ROLLOUT", .right), ("SIZE", .right),
            ("PATCHES", .left),
            ("REMARKS", .left),
        ])
        for entry in versions {
            table.add([
                entry.version, entry.channels.map(Printable.line).joined(separator: ", "),
                Rollout(percent: entry.rollout).map { "\($0)" } ?? "",
                ByteCount.text(entry.size), entry.patches, entry.remark,
            ])
        }
        return table.lines
    }
}
