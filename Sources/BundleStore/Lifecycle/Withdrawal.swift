import Foundation

/// Why nothing of a release is used any more: what is asked of the active one goes to the network, and pages that are open on
/// a retained one get what the active one has. It ends when the publisher says so; ``Reason/critical`` also when a release
/// below the critical one becomes active. A value type; safe to share between threads.
public struct Withdrawal: Sendable, Hashable {
    /// Why a release isn't used any more.
    public enum Reason: String, Sendable, Hashable {
        /// Its publisher has revoked it.
        case revoked
        /// A higher version is critical: those before it must not be used.
        case critical
    }

    /// The version that isn't used any more.
    public let version: BundleVersion
    /// Why.
    public let reason: Reason
    /// The critical version; nil for ``Reason/revoked``.
    public let successor: BundleVersion?
    /// Since when it isn't used.
    public let since: Date

    /// Makes a withdrawal.
    package init(of version: BundleVersion, _ reason: Reason, successor: BundleVersion? = nil, since: Date) {
        (self.version, self.reason, self.successor, self.since) = (version, reason, successor, since)
    }
}

/// Releases that mustn't be used any more, whether they are active or pages are still open on them.
extension BundleStore {
    /// Records which releases of a bundle mustn't be used any more; others may be used again. Writes only what is new.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    package func setWithdrawals(_ withdrawals: [Withdrawal], of name: BundleName) throws {
        guard let bundle = snapshot.bundles[name] else { return }
        let current = bundle.lifecycle.withdrawals
        let isSame =
            withdrawals.count == current.count
            && withdrawals.allSatisfy { $0.says(sameAs: current[$0.version.string]) }
        guard !isSame else { return }
        // No bundle's lock: what is revoked ends at once, also while another process works on the bundle.
        try StoreAccess.run(at: path) {
            try catalog.lifecycles.setWithdrawals(withdrawals, of: name, active: bundle.activeVersion)
        }
        try refresh()
    }

    /// Lets no rollback lead to installed releases that are revoked, and none of them become active later. Writes only what
    /// is new; the active release isn't concerned.
    ///
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``.
    package func leaveRevoked(_ versions: Set<String>, of name: BundleName) throws {
        guard !versions.isEmpty, let bundle = snapshot.bundles[name] else { return }
        let left = bundle.lifecycle.left
        let revoked = bundle.releases.map(\.version).filter {
            versions.contains($0.string) && !left.contains($0.string) && $0.string != bundle.activeVersion?.string
        }
        if !revoked.isEmpty {
            try StoreAccess.run(at: path) { try catalog.lifecycles.leave(revoked, of: name) }
            try refresh()
        }
        guard let pending = bundle.lifecycle.pending, versions.contains(pending.version.string) else { return }
        try changing(name, waits: false) { bundle in
            guard bundle.lifecycle.pending == pending else { return }
            try catalog.lifecycles.endPending(of: name)
        }
    }
}

extension InstalledBundle {
    /// Why nothing of the active release may be used; nil when it may.
    public var withdrawal: Withdrawal? { activeVersion.flatMap(withdrawal) }

    /// Whether nothing of the active release may be used.
    package var isWithdrawn: Bool { withdrawal != nil }

    /// Why nothing of a version may be used; nil when it may.
    package func withdrawal(of version: BundleVersion) -> Withdrawal? { lifecycle.withdrawals[version.string] }
}

extension Withdrawal {
    func says(sameAs other: Withdrawal?) -> Bool {
        version.string == other?.version.string && reason == other?.reason
            && successor?.string == other?.successor?.string
    }
}
