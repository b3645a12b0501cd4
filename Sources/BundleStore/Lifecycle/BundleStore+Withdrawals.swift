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
