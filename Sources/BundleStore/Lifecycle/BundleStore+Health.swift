import Foundation
import Synchronization

/// Whether releases work: who asks for it has to be confirmed, or the release before comes back.
extension BundleStore {
    /// Records that the active release works. Nothing has to be recorded for one that isn't on probation.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: The version that works; nil for the active one.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Returns: The version, and whether it was on probation.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no such bundle or version, `invalidArgument` when the version isn't
    ///   the active one, otherwise as ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func confirm(
        _ name: BundleName,
        _ version: BundleVersion? = nil,
        waits: Bool = false
    ) throws -> (version: BundleVersion, wasOnProbation: Bool) {
        try changing(name, waits: waits) { bundle in
            if let version { _ = try bundle.known(version) }
            guard let active = bundle.activeVersion, version.map({ $0.string == active.string }) ?? true else {
                throw bundle.refusal(confirming: version)
            }
            let isOnProbation = bundle.lifecycle.probation?.version.string == active.string
            if isOnProbation || bundle.lifecycle.unconfirmed.contains(active.string) {
                try catalog.lifecycles.confirm(active, of: name, at: now())
            }
            return (active, isOnProbation)
        }
    }

    /// Records that a release doesn't work. If it is active, the last release that needed no confirmation or got it becomes
    /// active again; without one the release that was active before, or else the one that was shipped with the app; if there
    /// is none of them, it stays. Updates take only higher versions, and no later rollback leads to it.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: An installed version.
    ///   - reason: Why it counts as one that doesn't work; cut after 512 bytes.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func markBad(
        _ name: BundleName,
        _ version: BundleVersion,
        reason: String,
        waits: Bool = false
    ) throws -> BadRelease {
        try changing(name, waits: waits) { bundle in
            try markBad(try bundle.known(version).version, in: bundle, reason: reason)
        }
    }

    /// Marks the releases bad that have had all the starts that they may without being confirmed. To be called at each start
    /// of a server or an app, before anything is served. A start counts once a page of the release was loaded, see
    /// ``noteLoad(of:_:)``: where nobody opens one, nobody can confirm it.
    ///
    /// - Returns: What was marked bad, and what should have been.
    @discardableResult
    package func judgeStarts() -> [BadRelease] {
        judging { _, probation, terms in
            probation.startCount < terms.starts ? nil : .starts(terms.starts)
        }
    }

    /// Marks the releases bad that should have been confirmed by now. The time counts while a process runs that has given
    /// out a page of the release; it is noted in quarters for later processes.
    ///
    /// - Returns: What was marked bad, and what should have been.
    @discardableResult
    package func judgeProbations() -> [BadRelease] {
        let moment = elapsed()
        noteTimes(at: moment)
        return judging { bundle, probation, terms in
            let observed = probationTimes.withLock { $0.observed(probation, of: bundle.name, at: moment) }
            guard observed >= terms.within else { return nil }
            return .time(seconds: terms.withinSeconds)
        }
    }

    private func noteTimes(at moment: Duration) {
        for bundle in snapshot.bundles.values {
            guard let probation = bundle.lifecycle.probation, let terms = bundle.probationTerms,
                let observed = probationTimes.withLock({
                    $0.takeUnnoted(probation, of: bundle.name, by: terms.within / 4, at: moment)
                })
            else { continue }
            // Without it the next process counts less.
            try? StoreAccess.run(at: path) { try catalog.lifecycles.record(observed, of: bundle.name, probation) }
        }
    }

    /// Whether a page of the active release is the first of this process, and would be recorded by ``noteLoad(of:_:)``.
    package func awaitsLoad(of bundle: InstalledBundle) -> Bool {
        guard let probation = bundle.lifecycle.probation, bundle.probationTerms != nil else { return false }
        return probationTimes.withLock { !$0.hasBegun(probation, of: bundle.name) }
    }

    /// Records the first page of the active release that this process gives out: its time goes on, and the start of the
    /// process counts. Does nothing for a release that isn't on probation, and for later pages.
    package func noteLoad(of name: BundleName, _ version: BundleVersion) throws {
        let moment = elapsed()
        guard let probation = snapshot.bundles[name]?.lifecycle.probation, probation.version.string == version.string,
            probationTimes.withLock({ $0.begin(probation, of: name, at: moment) })
        else { return }
        do {
            try StoreAccess.run(at: path) { try catalog.lifecycles.recordLoad(of: name, probation, at: now()) }
        } catch {
            probationTimes.withLock { $0.forget(name) }
            throw error
        }
        try refresh()
    }

    /// Asks for each release on probation why it is bad, if it is. A bundle that another process works on is left to the
    /// next time; one that can't go back, to the next change of the store.
    private func judging(
        _ verdict: (InstalledBundle, Probation, HealthTerms) -> ProbationFailure?
    ) -> [BadRelease] {
        snapshot.sortedBundles.compactMap { bundle in
            func reason(_ bundle: InstalledBundle) -> (BundleVersion, String)? {
                guard let probation = bundle.lifecycle.probation, let terms = bundle.probationTerms else { return nil }
                return verdict(bundle, probation, terms).map { (probation.version, $0.reason) }
            }
            // It isn't worth taking the bundle's lock otherwise.
            guard let (version, presumption) = reason(bundle), !isObstructed(bundle.name) else { return nil }
            do {
                return try changing(bundle.name, waits: false) { bundle in
                    try reason(bundle).map { try markBad($0, in: bundle, reason: $1) }
                }
            } catch let error as BundleError where error.code == .originConflict {
                return obstructed(version, of: bundle, presumption, by: error)
            } catch {
                return nil
            }
        }
    }

    private func isObstructed(_ name: BundleName) -> Bool {
        let generation = snapshot.generation
        return probationTimes.withLock { $0.isObstructed(name, at: generation) }
    }

    /// Says once that a release can't be left.
    private func obstructed(
        _ version: BundleVersion,
        of bundle: InstalledBundle,
        _ reason: String,
        by error: BundleError
    ) -> BadRelease {
        let generation = snapshot.generation
        probationTimes.withLock { $0.note(obstacleOf: bundle.name, at: generation) }
        let detail = "\(reason), and the release before can't take its place: \(error)"
        try? record(UpdateEvent(.failed, bundle.name, at: now(), version: version, detail: detail))
        return BadRelease(
            name: bundle.name,
            version: version,
            reason: reason,
            active: bundle.activeVersion,
            obstacle: "\(error)"
        )
    }

    private func markBad(_ version: BundleVersion, in bundle: InstalledBundle, reason: String) throws -> BadRelease {
        let held = try [catalog.updateStates.state(of: bundle.name, now: now())?.heldVersion].compactMap(\.self)
        let active = bundle.activeVersion
        guard let active, active.string == version.string, let destination = bundle.rollbackTarget else {
            // An update mustn't activate what is bad and higher.
            let left = active.map { $0 < version || $0.string == version.string } == true ? [version] : []
            let highest = (held + left).max()
            try catalog.lifecycles.markBad(version, of: bundle.name, reason: reason, at: now(), holding: highest)
            return BadRelease(name: bundle.name, version: version, reason: reason, active: active)
        }
        try catalog.lifecycles.markBad(
            version,
            of: bundle.name,
            reason: reason,
            at: now(),
            holding: (held + [version]).max(),
            returningTo: destination.record,
            leaving: bundle.skipped(returningTo: destination)
        )
        return BadRelease(name: bundle.name, version: version, reason: reason, active: destination.version)
    }
}

extension InstalledBundle {
    fileprivate func refusal(confirming version: BundleVersion?) -> BundleError {
        BundleError(
            .invalidArgument,
            version.map { "\(name)@\($0) is not active\(activeVersion.map { "; \($0) is" } ?? "")" }
                ?? "no version of \(name) is active"
        )
    }
}

/// What has become of a release that was found not to work. A value type; safe to share between threads.
public struct BadRelease: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The version that doesn't work.
    public let version: BundleVersion
    /// Why it counts as one.
    public let reason: String
    /// The version that is active now; nil when the bundle has none.
    public let active: BundleVersion?
    /// Why the release before can't take its place, so that it wasn't marked bad; nil otherwise.
    package var obstacle: String?

    /// Whether it stays active, because there is nothing to go back to.
    public var stays: Bool { active?.string == version.string }
}
