/// Releases that become active later than they are installed.
extension BundleStore {
    /// Has an installed release become active later. It takes the place of one that was to do so before.
    ///
    /// - Parameters:
    ///   - mode: When it becomes active; not ``ActivationMode/now``.
    ///   - waits: Whether to wait for another process that works on the bundle.
    ///   - check: Called with the bundle as it is, while it is locked; what it throws leaves it so.
    /// - Returns: Whether that is new.
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``, and what `check` throws.
    @discardableResult
    package func setPending(
        _ name: BundleName,
        _ version: BundleVersion,
        _ mode: ActivationMode,
        waits: Bool = false,
        checking check: (InstalledBundle) throws -> Void = { _ in }
    ) throws -> Bool {
        try changing(name, waits: waits) { bundle in
            try check(bundle)
            _ = try bundle.existing(version)
            let pending = bundle.lifecycle.pending
            guard pending?.version.string != version.string || pending?.mode != mode else { return false }
            try catalog.lifecycles.setPending(version, of: name, mode, at: now())
            return true
        }
    }

    /// Activates the releases that have waited for it, as the end of their updates. One that can't become active, that
    /// mustn't be used, or whose bundle is on hold or another process works on, goes on waiting.
    ///
    /// - Parameter isDue: Whether the time has come for a bundle's release.
    /// - Returns: What has become active.
    @discardableResult
    package func activatePending(
        where isDue: (InstalledBundle, PendingActivation) -> Bool
    ) -> [(name: BundleName, version: BundleVersion)] {
        snapshot.sortedBundles.compactMap { bundle in
            guard let pending = bundle.lifecycle.pending, isDue(bundle, pending) else { return nil }
            let activated = try? changing(bundle.name, waits: false) { bundle in
                // Another process may have been faster.
                guard bundle.lifecycle.pending == pending, bundle.withdrawal(of: pending.version) == nil else {
                    return false
                }
                guard try catalog.updateStates.state(of: bundle.name, now: now())?.isOnHold != true else {
                    return false
                }
                let release = try bundle.existing(pending.version).record
                try catalog.releases.reactivate(release, at: now(), permittingOverlapWith: [])
                return true
            }
            return activated == true ? (bundle.name, pending.version) : nil
        }
    }
}

/// Releases that were shipped with an app: the last resort, which only a person removes.
extension BundleStore {
    /// Makes an installed release the one that was shipped with the app. An earlier one is no longer.
    ///
    /// - Parameter waits: Whether to wait for another process that works on the bundle.
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``.
    package func setSeed(_ name: BundleName, _ version: BundleVersion, waits: Bool = false) throws {
        guard snapshot.bundles[name]?.lifecycle.seeds != [version.string] else { return }
        try changing(name, waits: waits) { bundle in
            _ = try bundle.existing(version)
            try catalog.lifecycles.setSeed(version, of: name)
        }
    }
}

extension BundleStore {
    /// Whether a release that is shipped with an app becomes active when it is installed: not in place of a higher version,
    /// nor if it was left for another one.
    package func mayActivate(seed manifest: BundleManifest) throws -> Bool {
        try refresh()
        guard let bundle = snapshot.bundles[manifest.name], let active = bundle.activeVersion else { return true }
        let held = try updateState(of: manifest.name)?.heldVersion
        return manifest.version > ([active, held].compactMap(\.self).max() ?? active)
    }
}
