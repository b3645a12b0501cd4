import BundleStore

/// What the journal of the store gets to know. Nothing fails because it can't be recorded.
extension Updater {
    /// Records what a feed offers.
    func journal(_ check: UpdateCheck) {
        journal(.checked, check.name, version: check.highest, previous: check.local)
    }

    /// Records that the operator has accepted a feed all the same.
    func journal(accepted rejection: UpdateRejection, of name: BundleName) {
        journal(.checked, name, version: nil, detail: "accepted, although \(rejection)")
    }

    /// Records the release that was chosen, with what its publisher says is new in it; or that there is none any more.
    func journal(choiceOf check: UpdateCheck) {
        let release = check.available
        // Where nothing waits to be installed, that there is still nothing isn't news.
        guard release != nil || hasEarlierChoice(check) else { return }
        journal(.decided, check.name, version: release?.version, previous: check.local, detail: release?.terms.notes)
    }

    /// Whether the last choice hasn't become active.
    private func hasEarlierChoice(_ check: UpdateCheck) -> Bool {
        guard let last = try? store.lastEvent(.decided, of: check.name)?.version else { return false }
        return check.local.map { last > $0 } ?? true
    }

    /// Records how a release was fetched.
    func journal(fetched release: FeedRelease, of name: BundleName, _ delivery: DeliveryReport) {
        journal(
            .fetched,
            name,
            version: release.version,
            detail: delivery.failures.first.map { "\($0.plan.rawValue) failed: \($0.reason)" },
            plan: delivery.plan.rawValue,
            predictedByteCount: delivery.predictedByteCount,
            receivedByteCount: delivery.receivedByteCount
        )
    }

    /// Records that a check or an update has succeeded after one that failed.
    func journal(recoveryOf name: BundleName) {
        journal(.recovered, name, version: nil)
    }

    /// Records why a check or an update has failed.
    func journal(failureOf name: BundleName, _ failure: String, _ error: (any Error)? = nil) {
        let refused = (error as? BundleError)?.cause as? RefusedRelease
        journal(.failed, name, version: refused?.release.version, detail: failure)
    }

    private func journal(
        _ kind: UpdateEvent.Kind,
        _ name: BundleName,
        version: BundleVersion?,
        previous: BundleVersion? = nil,
        detail: String? = nil,
        plan: String? = nil,
        predictedByteCount: Int64? = nil,
        receivedByteCount: Int64? = nil
    ) {
        let event = UpdateEvent(
            kind,
            name,
            at: store.now(),
            version: version,
            previous: previous,
            detail: detail,
            plan: plan,
            predictedByteCount: predictedByteCount,
            receivedByteCount: receivedByteCount
        )
        try? store.record(event)
    }
}
