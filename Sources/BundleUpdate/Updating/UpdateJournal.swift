import BundleStore

/// Records in the store what checks and updates find and do. Nothing fails because it can't be recorded. A value type; safe to
/// share between threads.
struct UpdateJournal: Sendable {
    let store: BundleStore

    /// Records what a feed offers.
    func checked(_ check: UpdateCheck) {
        record(.checked, check.name, version: check.highest, previous: check.local)
    }

    /// Records that the operator has accepted a feed all the same.
    func accepted(_ rejection: UpdateRejection, of name: BundleName) {
        record(.checked, name, detail: "accepted, although \(rejection)")
    }

    /// Records by which root a feed is trusted from now on.
    func pinned(_ root: Digest, of name: BundleName) {
        record(.checked, name, detail: "the feed is signed, and trusted from now on by the root with SHA-256 \(root)")
    }

    /// Records by which root a feed has to be signed from now on, which somebody has given.
    func given(_ root: Digest, of name: BundleName) {
        record(.checked, name, detail: "the feed has to be signed from now on, by the given root with SHA-256 \(root)")
    }

    /// Records that the publisher has replaced keys, and which ones count now.
    func followed(_ root: Int64, of name: BundleName) {
        // A publisher may name thousands of keys.
        let signers = (try? TrustReport(of: name, in: store))?.signers.prefix(1_000) ?? "unknown"
        record(.checked, name, detail: "version \(root) of the publisher's root is trusted; signers: \(signers)")
    }

    /// Records the release that was chosen, with what its publisher says is new in it; or that there is none any more.
    func decided(_ check: UpdateCheck) {
        let release = check.available
        // Where nothing waits to be installed, that there is still nothing isn't news.
        guard release != nil || hasEarlierChoice(check) else { return }
        record(.decided, check.name, version: release?.version, previous: check.local, detail: release?.terms.notes)
    }

    /// Whether the last choice hasn't become active.
    private func hasEarlierChoice(_ check: UpdateCheck) -> Bool {
        guard let last = try? store.lastEvent(.decided, of: check.name)?.version else { return false }
        return check.local.map { last > $0 } ?? true
    }

    /// Records how a release was fetched.
    func fetched(_ release: FeedRelease, of name: BundleName, _ delivery: DeliveryReport) {
        record(
            .fetched,
            name,
            version: release.version,
            detail: delivery.failures.first.map { "\($0.plan.rawValue) failed: \($0.reason)" },
            plan: delivery.plan.rawValue,
            predictedByteCount: delivery.predictedByteCount,
            receivedByteCount: delivery.receivedByteCount
        )
    }

    /// Runs a check or an update, and records what has come of it, also as the bundle's
    /// ``/BundleStore/BundleStore/updateState(of:)``.
    ///
    /// - Parameter body: Returns the result, and why it isn't as it should be.
    /// - Throws: What `body` throws.
    func recordingOutcome<Result>(
        of name: BundleName,
        _ body: () async throws -> (Result, failure: String?)
    ) async throws -> Result {
        do {
            let (result, failure) = try await body()
            // The update has succeeded even if it can't be recorded.
            let earlier = try? store.updateState(of: name)?.lastFailure
            try? store.recordCheck(of: name, failure: failure, reason: .refused)
            if let failure {
                record(.failed, name, detail: failure)
            } else if earlier != nil {
                record(.recovered, name)
            }
            return result
        } catch {
            // A cancellation or a postponement says nothing about the feed.
            if !(error is CancellationError || error is UpdatePostponement) {
                let refused = (error as? BundleError)?.cause as? RefusedRelease
                let reason = (error as? BundleError).map { UpdateFailureReason($0.code) } ?? .other
                try? store.recordCheck(of: name, failure: "\(error)", reason: refused == nil ? reason : .release)
                record(.failed, name, version: refused?.release.version, detail: "\(error)")
            }
            throw error
        }
    }

    private func record(
        _ kind: UpdateEvent.Kind,
        _ name: BundleName,
        version: BundleVersion? = nil,
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
