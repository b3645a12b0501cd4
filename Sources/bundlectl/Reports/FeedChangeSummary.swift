import BundleNetwork
import BundlePublishing
import BundleStore

/// The result of the verbs of `feed`.
struct FeedChangeSummary: Report {
    let name: String
    let feed: String
    let sequence: Int64
    /// The releases that are offered otherwise than before; nil when there is none.
    let changed: [OfferSummary]?
    /// The versions that are no longer offered; nil when there is none.
    let removed: [String]?
    /// Nil when there is none.
    let removedArchives: [String]?
    /// Those that are removed later; nil when there is none.
    let withdrawnArchives: [String]?

    init(_ report: FeedChangeReport, of name: BundleName) {
        self.name = name.string
        feed = report.feedPath
        sequence = report.sequence
        changed = report.changed.isEmpty ? nil : report.changed.map(OfferSummary.init)
        removed = report.removed.isEmpty ? nil : report.removed.map(\.string)
        removedArchives = report.removedArchives.isEmpty ? nil : report.removedArchives
        withdrawnArchives = report.withdrawnArchives.isEmpty ? nil : report.withdrawnArchives
    }

    var lines: [String] {
        let changes =
            (changed ?? []).map { "\(name)@\($0.version) is \($0.text)" }
            + (removed ?? []).map { "\(name)@\($0) is no longer offered" }
        let head = changes.isEmpty ? ["nothing changes in \(Printable.line(feed))"] : changes
        return head + FileRemovals.lines(removedArchives, later: withdrawnArchives)
    }
}
