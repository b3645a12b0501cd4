import Foundation

/// Where a bundle's releases are between installation and use. A value type; safe to share between threads.
public struct BundleLifecycle: Sendable, Hashable {
    /// The release that becomes active later; nil when there is none.
    public var pending: PendingActivation?
    /// What is known of the active release while it has yet to be confirmed; nil when it needn't be.
    public var probation: Probation?
    /// Why releases aren't used, by version.
    package var withdrawals: [String: Withdrawal] = [:]
    /// The versions that asked for a confirmation and haven't got it.
    package var unconfirmed: Set<String> = []
    /// The versions that no rollback leads to.
    package var left: Set<String> = []
    /// The versions that were shipped with an app.
    package var seeds: Set<String> = []
}

/// A release that is installed, and becomes active later. A value type; safe to share between threads.
public struct PendingActivation: Sendable, Hashable {
    /// The version.
    public let version: BundleVersion
    /// When it becomes active; never ``ActivationMode/now``.
    public let mode: ActivationMode
    /// Since when it waits for that.
    public let since: Date
}

/// When a release that an update has installed becomes active. A value type; safe to share between threads.
public enum ActivationMode: String, Sendable, Hashable, CaseIterable {
    /// At once, as the end of the update.
    case now
    /// When a server or an app starts with the store next.
    case nextStart = "next-start"
    /// When nobody has asked for anything of the bundle for a while, or at the next start, whichever is first.
    case whenIdle = "when-idle"
}

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

extension InstalledBundle {
    /// Whether a version was shipped with an app.
    package func isSeed(_ version: BundleVersion) -> Bool { lifecycle.seeds.contains(version.string) }
}
