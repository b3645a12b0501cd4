import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate

/// The result of `publish`.
struct PublishSummary: Report {
    let name: String
    let version: String
    let feed: String
    let sequence: Int64
    let archive: String
    let size: Int64
    let sha256: String
    let channels: [String]
    /// In percent.
    let rollout: Double
    let isCritical: Bool
    let minimumShell: String?
    let isRepeated: Bool
    /// The versions that are no longer offered; nil when there is none.
    let removed: [String]?
    /// Nil when there is none.
    let removedArchives: [String]?
    /// Those that are removed later; nil when there is none.
    let withdrawnArchives: [String]?
    /// From which releases before it no patch leads to it, and why; nil when there is none such.
    let withoutPatch: [WithoutPatch]?
    /// Nil when it wasn't checked.
    let lint: LintSummary?
    private let offer: String
    private let check: [String]

    struct WithoutPatch: Encodable {
        let from: String
        let reason: String
    }

    private enum CodingKeys: CodingKey {
        case name, version, feed, sequence, archive, size, sha256, channels, rollout, isCritical, minimumShell
        case isRepeated, removed, removedArchives, withdrawnArchives, withoutPatch, lint
    }

    /// - Parameter showsCheck: Whether the text has what was checked; warnings are on standard error in any case.
    init(_ publication: Publication, of name: BundleName, lint: LintSummary? = nil, showsCheck: Bool = false) {
        self.lint = lint
        check = showsCheck ? lint?.lines ?? [] : []
        let (entry, report) = (publication.entry, publication.report)
        let offer = OfferSummary(entry)
        self.name = name.string
        version = offer.version
        feed = report.feedPath
        sequence = report.sequence
        archive = publication.archivePath
        size = entry.size
        sha256 = entry.digest.hex
        (channels, rollout, isCritical) = (offer.channels, offer.rollout, offer.isCritical)
        minimumShell = offer.minimumShell
        isRepeated = publication.isRepeated
        removed = report.removed.isEmpty ? nil : report.removed.map(\.string)
        removedArchives = report.removedArchives.isEmpty ? nil : report.removedArchives
        withdrawnArchives = report.withdrawnArchives.isEmpty ? nil : report.withdrawnArchives
        let bases = publication.unpatched.map {
            WithoutPatch(from: $0.version.string, reason: $0.reason.description)
        }
        withoutPatch = bases.isEmpty ? nil : bases
        self.offer = offer.text
    }

    var lines: [String] {
        let release = "\(name)@\(version)"
        let feed = Printable.line(feed)
        let published =
            isRepeated
            ? "\(release) is in \(feed) already; it is \(offer) now"
            : "published \(release) in \(feed) (\(ByteCount.text(size)), \(offer))"
        return check + [published] + (removed ?? []).map { "\(name)@\($0) is no longer offered" }
            + (withoutPatch ?? []).map { "no patch from \($0.from): \($0.reason)" }
            + FileRemovals.lines(removedArchives, later: withdrawnArchives)
    }
}
