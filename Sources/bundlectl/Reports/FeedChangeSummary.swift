import BundleNetwork
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

    init(_ report: FeedChangeReport, of name: BundleName) {
        self.name = name.string
        feed = report.feedPath
        sequence = report.sequence
        changed = report.changed.isEmpty ? nil : report.changed.map(OfferSummary.init)
        removed = report.removed.isEmpty ? nil : report.removed.map(\.string)
        removedArchives = report.removedArchives.isEmpty ? nil : report.removedArchives
    }

    var lines: [String] {
        let changes =
            (changed ?? []).map { "\(name)@\($0.version) is \($0.text)" }
            + (removed ?? []).map { "\(name)@\($0) is no longer offered" }
        guard !changes.isEmpty else { return ["nothing changes in \(Printable.line(feed))"] }
        return changes + (removedArchives ?? []).map { "removed \(Printable.line($0))" }
    }
}
