import BundleInstall
import BundleNetwork
import BundleStore
import BundleUpdate

/// The result of `update`.
struct UpdateSummary: Report {
    /// The result for a bundle.
    enum Outcome: String, Encodable {
        case updated, pending, upToDate, noFeed, postponed, failed
    }

    /// One bundle.
    struct Entry: Encodable {
        let name: String
        let outcome: Outcome
        /// The version that was active.
        let from: String?
        /// The version that is active now, or becomes active later; nil after a failure, or when it takes place later.
        let to: String?
        let newByteCount: Int64?
        /// How it was fetched; nil when nothing had to be.
        var plan: String?
        var predictedByteCount: Int64?
        var receivedByteCount: Int64?
        /// The plans that failed before; nil when there is none.
        var failedPlans: [FailedPlan]?
        /// True when the publisher has revoked the active release, and offers nothing in its place; otherwise nil.
        var isRevoked: Bool?
        let error: String?
        /// Why it takes place later.
        var postponement: String?
    }

    /// A plan that came to nothing.
    struct FailedPlan: Encodable {
        let plan: String
        let reason: String
    }

    let bundles: [Entry]
    /// Nil when there is none.
    let removed: [RemovedVersion]?
    /// Nil when there is none.
    let droppedResponseCount: Int?
    /// Nil when no manifest names anything to fetch ahead.
    let precache: [PrecacheSummary]?
    private let removalLines: [String]

    private enum CodingKeys: CodingKey {
        case bundles, removed, droppedResponseCount, precache
    }

    /// - Parameters:
    ///   - quotaRemoval: What the installations removed.
    ///   - pruned: What the subsequent pruning has removed.
    ///   - ahead: What was fetched ahead afterwards.
    init(
        bundles: [Entry],
        quotaRemoval: QuotaRemoval = QuotaRemoval(),
        pruned: [RemovedRelease] = [],
        precache ahead: [PrecacheReport] = []
    ) {
        precache = ahead.isEmpty ? nil : ahead.map(PrecacheSummary.init)
        self.bundles = bundles
        let removed = (quotaRemoval.releases + pruned).map(RemovedVersion.init)
        self.removed = removed.isEmpty ? nil : removed
        droppedResponseCount = quotaRemoval.responseCount > 0 ? quotaRemoval.responseCount : nil
        removalLines = quotaRemoval.responseLines + removed.map(\.line)
    }

    private var precacheLines: [String] {
        let updated = Set(bundles.filter { $0.outcome == .updated }.map(\.name))
        return (precache ?? []).filter { $0.fetchedCount > 0 || updated.contains($0.name) }.map(\.line)
    }

    /// Bundles that are up to date aren't listed, nor is what was fetched ahead earlier.
    var lines: [String] {
        bundles.compactMap(\.line) + removalLines + precacheLines
    }
}

extension UpdateSummary.Entry {
    /// Nil when nothing has changed.
    fileprivate var line: String? {
        let new = ByteCount.text(newByteCount ?? 0)
        return switch outcome {
        case .updated where newByteCount == nil:
            "updated \(name): \(from ?? "none") to \(to ?? "none") (\(ByteCount.text(predictedByteCount ?? 0)) to fetch at most)"
        case .updated: "updated \(name): \(from ?? "none") to \(to ?? "none") (\(new) new\(fetching))"
        case .pending: "installed \(name)@\(to ?? "none") (\(new) new\(fetching)), which becomes active later"
        default: nil
        }
    }

    init(_ outcome: FeedOutcome<UpdateResult>) {
        switch outcome.result {
        case .success(.upToDate(let check)) where check.decision.feedRejection != nil:
            self.init(outcome.bundle, .failed, error: check.problem)
        case .success(.upToDate(let check)):
            self.init(check.name, .upToDate, from: check.local, to: check.local)
            if check.isRevoked { isRevoked = true }
        case .success(.updated(let check, let report, let delivery)):
            self.init(
                check.name,
                .updated,
                from: check.local,
                to: report.version,
                newByteCount: report.newByteCount,
                delivery: delivery
            )
        case .success(.pending(let check, let report, let delivery)):
            self.init(
                check.name,
                .pending,
                from: check.local,
                to: report.version,
                newByteCount: report.newByteCount,
                delivery: delivery
            )
        case .failure(let postponement as UpdatePostponement):
            self.init(outcome.bundle, .postponed)
            self.postponement = postponement.code
        case .failure(let rehearsed as RehearsedUpdate):
            self.init(
                outcome.name,
                .updated,
                from: outcome.bundle.activeVersion,
                to: rehearsed.release.version,
                predictedByteCount: rehearsed.release.size
            )
        case .failure(let error): self.init(outcome.bundle, .failed, error: error)
        case nil: self.init(outcome.bundle, .noFeed)
        }
    }

    /// What is said of the fetching, behind the number of new bytes.
    fileprivate var fetching: String {
        guard let plan, let receivedByteCount else { return "" }
        return "; \(plan), \(ByteCount.text(receivedByteCount)) fetched"
    }

    private init(_ bundle: InstalledBundle, _ outcome: UpdateSummary.Outcome, error: (any Error)? = nil) {
        let active = bundle.activeVersion
        self.init(bundle.name, outcome, from: active, to: outcome == .noFeed ? active : nil, error: error)
    }

    private init(
        _ name: BundleName,
        _ outcome: UpdateSummary.Outcome,
        from: BundleVersion?,
        to: BundleVersion?,
        newByteCount: UInt64? = nil,
        predictedByteCount: Int64? = nil,
        delivery: DeliveryReport? = nil,
        error: (any Error)? = nil
    ) {
        self.init(
            name: name.string,
            outcome: outcome,
            from: from?.string,
            to: to?.string,
            newByteCount: newByteCount.map { Int64(clamping: $0) },
            plan: delivery?.plan.rawValue,
            predictedByteCount: predictedByteCount ?? delivery?.predictedByteCount,
            receivedByteCount: delivery?.receivedByteCount,
            failedPlans: delivery.flatMap { report in
                report.failures.isEmpty
                    ? nil
                    : report.failures.map { UpdateSummary.FailedPlan(plan: $0.plan.rawValue, reason: $0.reason) }
            },
            error: error.map(Advice.line)
        )
    }
}
