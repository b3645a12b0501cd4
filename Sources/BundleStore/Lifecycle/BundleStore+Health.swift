import Foundation

/// Whether releases work: who asks for it has to be confirmed, or the release before comes back.
extension BundleStore {
    /// Records that the active release works. Nothing has to be recorded for one that isn't on probation.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: The version that works; nil for the active one.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Returns: The version, and whether it was on probation.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle or the version isn't
    ///   the active one, otherwise as ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func confirm(
        _ name: BundleName,
        _ version: BundleVersion? = nil,
        waits: Bool = false
    ) throws -> (version: BundleVersion, wasOnProbation: Bool) {
        try changing(name, waits: waits) { bundle in
            guard let active = bundle.activeVersion, version.map({ $0.string == active.string }) ?? true else {
                throw bundle.refusal(confirming: version)
            }
            let isOnProbation = bundle.lifecycle.probation?.version.string == active.string
            if isOnProbation { try catalog.confirm(active, of: name, at: now()) }
            return (active, isOnProbation)
        }
    }

    /// Records that a release doesn't work. If it is active, the release that was active before becomes active again, or
    /// else the one that was shipped with the app; if there is neither, it stays. Updates take only higher versions, and
    /// no later rollback leads to it.
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

    /// Counts a start of a server or an app. A release that has seen all the starts that it may without being confirmed
    /// is marked bad. To be called at each start, before anything is served.
    ///
    /// - Returns: What was marked bad.
    @discardableResult
    package func noteStart() -> [BadRelease] {
        judging { bundle, probation, terms in
            guard probation.startCount < terms.starts else {
                return "not confirmed in \(terms.starts) starts"
            }
            try catalog.countStart(of: bundle.name, probation.version)
            return nil
        }
    }

    /// Marks the releases bad that should have been confirmed by now.
    ///
    /// - Returns: What was marked bad.
    @discardableResult
    package func judgeProbations() -> [BadRelease] {
        let now = now()
        return judging(where: { $0.hasExpired(by: $1, at: now) }) { _, probation, terms in
            guard probation.hasExpired(by: terms, at: now) else { return nil }
            return "not confirmed within \(terms.withinSeconds) s of its first page"
        }
    }

    /// Records that a page of the active release was loaded. Does nothing for one that isn't on probation, or that had a
    /// page loaded before.
    package func noteLoad(of name: BundleName, _ version: BundleVersion) throws {
        guard let probation = snapshot.bundles[name]?.lifecycle.probation, probation.loadedAt == nil,
            probation.version.string == version.string
        else { return }
        try Self.accessing(path) { try catalog.recordLoad(of: name, version, at: now()) }
        try refresh()
    }

    /// Asks for each release on probation why it is bad, if it is. A bundle that another process works on is left to the
    /// next time.
    ///
    /// - Parameter isDue: Whether it is worth taking the bundle's lock.
    private func judging(
        where isDue: (Probation, HealthTerms) -> Bool = { _, _ in true },
        _ verdict: (InstalledBundle, Probation, HealthTerms) throws -> String?
    ) -> [BadRelease] {
        snapshot.sortedBundles.compactMap { bundle in
            guard let probation = bundle.lifecycle.probation, let terms = bundle.probationTerms, isDue(probation, terms)
            else { return nil }
            return try? changing(bundle.name, waits: false) { bundle in
                guard let probation = bundle.lifecycle.probation, let terms = bundle.probationTerms,
                    let reason = try verdict(bundle, probation, terms)
                else { return nil }
                return try markBad(probation.version, in: bundle, reason: reason)
            }
        }
    }

    private func markBad(_ version: BundleVersion, in bundle: InstalledBundle, reason: String) throws -> BadRelease {
        let held = try [catalog.updateState(of: bundle.name, now: now())?.heldVersion].compactMap(\.self)
        let active = bundle.activeVersion
        guard let active, active.string == version.string, let destination = try destination(from: bundle) else {
            // An update mustn't activate what is bad and higher.
            let left = active.map { $0 < version || $0.string == version.string } == true ? [version] : []
            let highest = (held + left).max()
            try catalog.markBad(version, of: bundle.name, reason: reason, at: now(), holding: highest)
            return BadRelease(name: bundle.name, version: version, reason: reason, active: active)
        }
        try catalog.markBad(
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

    /// The release to go back to without being asked: the one before, or the one that was shipped with the app.
    private func destination(from bundle: InstalledBundle) throws -> Release? {
        let left = try catalog.leftVersions(of: bundle.name)
        return bundle.previous(sparing: left)
            ?? bundle.releases.first {
                bundle.isSeed($0.version) && $0 !== bundle.active && !left.contains($0.version.string)
            }
    }
}

extension InstalledBundle {
    /// What the active release asks for while it is on probation; nil when it isn't.
    package var probationTerms: HealthTerms? {
        guard let probation = lifecycle.probation, let active, active.version.string == probation.version.string else {
            return nil
        }
        return active.manifest.health
    }

    fileprivate func refusal(confirming version: BundleVersion?) -> BundleError {
        BundleError(
            .invalidArgument,
            version.map { "\(name)@\($0) is not active\(activeVersion.map { "; \($0) is" } ?? "")" }
                ?? "no version of \(name) is active"
        )
    }
}
