import BundleInstall
import BundleStore

/// What a check has come to for a bundle, as JSON documents have it. A value type; safe to share between threads.
package struct CheckReport: Encodable, Sendable {
    /// What the feed offers.
    package enum State: String, Encodable, Sendable {
        /// Nothing higher, or a higher version.
        case upToDate, updateAvailable
        /// The bundle names no feed; it is asked later; it, or the feed, can't be used.
        case noFeed, postponed, failed
    }

    /// The bundle.
    package let name: BundleName
    /// What its feed offers.
    package var state: State
    /// The version that is active, the highest one in the channel, and the one to update to.
    package var active: BundleVersion?, highest: BundleVersion?, available: BundleVersion?
    /// The size of that version's archive.
    package var byteCount: Int64?
    /// The version that updates must exceed; nil when that is the active one.
    package var held: BundleVersion?
    /// True when updates leave the bundle as it is, otherwise nil.
    package var isOnHold: Bool?
    /// True when the publisher has revoked the active release, and offers nothing in its place; otherwise nil.
    package var isRevoked: Bool?
    /// Why it has failed.
    package var error: String?
    /// Why a feed brings no update, or a release of it can't be used.
    package var failure: String?
    /// Why the feed is asked later.
    package var postponement: String?

    /// Reports what was found in a feed.
    package init(_ check: UpdateCheck) {
        self.init(check.name, check.available == nil ? .upToDate : .updateAvailable, active: check.local)
        (highest, held) = (check.highest, check.held)
        (available, byteCount) = (check.available?.version, check.available?.size)
        isOnHold = check.isOnHold ? true : nil
        isRevoked = check.isRevoked ? true : nil
        failure = check.decision.failure.map(Printable.line)
    }

    /// Reports the outcome for one of several bundles. A feed that can't be used is a failure.
    ///
    /// - Parameter message: Words an error.
    package init(_ outcome: FeedOutcome<UpdateCheck>, message: (any Error) -> String) {
        let active = outcome.bundle.activeVersion
        switch outcome.result {
        case .success(let check):
            self.init(check)
            guard check.decision.feedRejection != nil else { return }
            (state, error) = (.failed, check.problem.map(message))
        case .failure(let postponement as UpdatePostponement):
            self.init(outcome.name, .postponed, active: active)
            self.postponement = postponement.code
        case .failure(let error):
            self.init(outcome.name, .failed, active: active)
            self.error = message(error)
        case nil: self.init(outcome.name, .noFeed, active: active)
        }
    }

    init(_ name: BundleName, _ state: State, active: BundleVersion?) {
        (self.name, self.state, self.active) = (name, state, active)
    }
}

/// What an update has come to for a bundle, as JSON documents have it. A value type; safe to share between threads.
package struct UpdateReport: Encodable, Sendable {
    /// The result.
    package enum Outcome: String, Encodable, Sendable {
        /// A higher version is active now, or becomes active later, or there is none.
        case updated, pending, upToDate
        /// The bundle names no feed; it takes place later; it couldn't be updated.
        case noFeed, postponed, failed
    }

    /// The bundle.
    package let name: BundleName
    /// The result.
    package var outcome: Outcome
    /// The version that was active.
    package var from: BundleVersion?
    /// The version that is active now, or becomes active later; nil after a failure, or when it takes place later.
    package var to: BundleVersion?
    /// The content that the store didn't have before.
    package var newByteCount: UInt64?
    /// How it was fetched; nil when nothing had to be.
    package var plan: PlanKind?
    /// What was to be fetched, and what was.
    package var predictedByteCount: Int64?, receivedByteCount: Int64?
    /// The plans that failed before; nil when there is none.
    package var failedPlans: [PlanFailure]?
    /// True when the publisher has revoked the active release, and offers nothing in its place; otherwise nil.
    package var isRevoked: Bool?
    /// Why it has failed.
    package var error: String?
    /// Why it takes place later.
    package var postponement: String?

    /// Reports an update, or what a dry run would have updated.
    package init(_ result: UpdateResult) {
        let check = result.check
        switch result {
        case .upToDate:
            self.init(check.name, .upToDate, from: check.local, to: check.local)
            isRevoked = check.isRevoked ? true : nil
        case .updated(_, let report, let delivery): self.init(check, .updated, report, delivery)
        case .pending(_, let report, let delivery): self.init(check, .pending, report, delivery)
        case .available:
            self.init(check.name, .updated, from: check.local, to: check.available?.version)
            predictedByteCount = check.available?.size
        }
    }

    /// Reports the outcome for one of several bundles. A feed that can't be used is a failure.
    ///
    /// - Parameter message: Words an error.
    package init(_ outcome: FeedOutcome<UpdateResult>, message: (any Error) -> String) {
        let active = outcome.bundle.activeVersion
        switch outcome.result {
        case .success(.upToDate(let check)) where check.decision.feedRejection != nil:
            self.init(outcome.name, .failed, from: active)
            error = check.problem.map(message)
        case .success(let result): self.init(result)
        case .failure(let postponement as UpdatePostponement):
            self.init(outcome.name, .postponed, from: active)
            self.postponement = postponement.code
        case .failure(let error):
            self.init(outcome.name, .failed, from: active)
            self.error = message(error)
        case nil: self.init(outcome.name, .noFeed, from: active, to: active)
        }
    }

    init(_ name: BundleName, _ outcome: Outcome, from: BundleVersion?, to: BundleVersion? = nil) {
        (self.name, self.outcome, self.from, self.to) = (name, outcome, from, to)
    }

    private init(_ check: UpdateCheck, _ outcome: Outcome, _ report: InstallReport, _ delivery: DeliveryReport?) {
        self.init(check.name, outcome, from: check.local, to: report.version)
        newByteCount = report.newByteCount
        guard let delivery else { return }
        (plan, predictedByteCount) = (delivery.plan, delivery.predictedByteCount)
        receivedByteCount = delivery.receivedByteCount
        failedPlans = delivery.failures.isEmpty ? nil : delivery.failures
    }
}
