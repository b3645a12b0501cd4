import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate

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
                entry.offer.version, entry.offer.channels.map(Printable.line).joined(separator: ", "),
                Rollout(percent: entry.offer.rollout).map { "\($0)" } ?? "",
                ByteCount.text(entry.size), entry.patches, entry.remark,
            ])
        }
        return table.lines
    }
}
