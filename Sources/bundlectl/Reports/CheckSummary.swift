import BundleNetwork
import BundleStore

/// The result of `check`.
struct CheckSummary: Report {
    /// What a bundle's feed offers.
    enum State: String, Encodable {
        case upToDate, updateAvailable, noFeed, failed
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
        let error: String?
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
        bundles.compactMap { entry in
            switch entry.state {
            case .upToDate: "\(entry.name) \(entry.active ?? "none"): up to date\(entry.remark)"
            case .updateAvailable:
                "\(entry.name) \(entry.active ?? "none"): \(entry.available ?? "") is available"
                    + " (\(ByteCount.text(entry.byteCount ?? 0)))"
            case .noFeed: "\(entry.name) \(entry.active ?? "none"): has no feed"
            case .failed: nil
            }
        }
    }
}

extension CheckSummary.Entry {
    init(_ outcome: FeedOutcome<UpdateCheck>) {
        switch outcome.result {
        case .success(let check): self.init(check)
        case .failure(let error): self.init(outcome.bundle, .failed, error: error)
        case nil: self.init(outcome.bundle, .noFeed)
        }
    }

    private init(_ check: UpdateCheck) {
        self.init(
            name: check.name.string,
            state: check.available == nil ? .upToDate : .updateAvailable,
            active: check.local?.string,
            highest: check.highest?.string,
            available: check.available?.version.string,
            byteCount: check.available?.size,
            held: check.held?.string,
            error: nil
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
            error: error.map(Advice.line)
        )
    }

    /// Why a higher version isn't installed.
    fileprivate var remark: String {
        held.map { " (rolled back; only a version above \($0) is taken)" } ?? ""
    }
}
