import BundleNetwork
import BundleStore
import BundleUpdate

/// The result of `check`.
struct CheckSummary: Report {
    /// What a bundle's feed offers.
    enum State: String, Encodable {
        case upToDate, updateAvailable, noFeed, postponed, failed
    }

    /// One bundle.
    struct Entry: Encodable {
        let name: String
        let state: State
        let active: String?
        let highest: String?
        let available: String?
        let byteCount: Int64?
        let held: String?
        let isOnHold: Bool?
        /// True when the publisher has revoked the active release, and offers nothing in its place; otherwise nil.
        let isRevoked: Bool?
        let error: String?
        /// Why a feed brings no update, or a release of it can't be used.
        var failure: String?
        /// Why the feed is asked later.
        var postponement: String?
        /// Each release of the feed; nil unless that is asked for.
        var explanation: UpdateExplanation?
    }

    let bundles: [Entry]
    /// Nil when no manifest names anything to fetch ahead.
    let precache: [PrecacheSummary]?

    init(bundles: [Entry], precache ahead: [PrecacheReport] = []) {
        self.bundles = bundles
        precache = ahead.isEmpty ? nil : ahead.map(PrecacheSummary.init)
    }

    var lines: [String] { feedLines + (precache ?? []).filter { $0.fetchedCount > 0 }.map(\.line) }

    private var feedLines: [String] {
        bundles.flatMap { entry in (entry.line.map { [$0] } ?? []) + (entry.explanation?.lines ?? []) }
    }
}

extension CheckSummary.Entry {
    /// - Parameter explains: Whether each release of the feed is listed.
    init(_ outcome: FeedOutcome<UpdateCheck>, explains: Bool) {
        switch outcome.result {
        case .success(let check):
            self.init(check)
            if explains { explanation = UpdateExplanation(check.decision) }
        case .failure(let postponement as UpdatePostponement):
            self.init(outcome.bundle, .postponed)
            self.postponement = postponement.code
        case .failure(let error): self.init(outcome.bundle, .failed, error: error)
        case nil: self.init(outcome.bundle, .noFeed)
        }
    }

    private init(_ check: UpdateCheck) {
        let isUsable = check.decision.feedRejection == nil
        self.init(
            name: check.name.string,
            state: !isUsable ? .failed : check.available == nil ? .upToDate : .updateAvailable,
            active: check.local?.string,
            highest: check.highest?.string,
            available: check.available?.version.string,
            byteCount: check.available?.size,
            held: check.held?.string,
            isOnHold: check.isOnHold ? true : nil,
            isRevoked: check.isRevoked ? true : nil,
            error: isUsable ? nil : check.problem.map(Advice.line),
            failure: check.decision.failure.map(Printable.line)
        )
    }

    private init(_ bundle: InstalledBundle, _ state: CheckSummary.State, error: (any Error)? = nil) {
        self.init(
            name: bundle.name.string,
            state: state,
            active: bundle.activeVersion?.string,
            highest: nil,
            available: nil,
            byteCount: nil,
            held: nil,
            isOnHold: nil,
            isRevoked: nil,
            error: error.map(Advice.line)
        )
    }

    /// Nil when the error was told already.
    fileprivate var line: String? {
        let start = "\(name) \(active ?? "none"): "
        return switch state {
        case .upToDate where isRevoked == true: start + "revoked by its publisher"
        case .upToDate: start + "up to date\(remark)"
        case .updateAvailable: start + "\(available ?? "") is available (\(ByteCount.text(byteCount ?? 0)))"
        case .noFeed: start + "has no feed"
        case .postponed: start + "not asked now"
        case .failed: nil
        }
    }

    /// Why a higher version isn't installed.
    private var remark: String {
        if isOnHold == true { return " (on hold)" }
        if let failure { return " (\(failure))" }
        return held.map { " (held back; only a version above \($0) is taken)" } ?? ""
    }
}
