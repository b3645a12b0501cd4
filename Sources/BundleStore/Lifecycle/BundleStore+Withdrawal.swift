/// Active releases that mustn't be used any more.
extension BundleStore {
    /// Records that the active release mustn't be used any more, or that it may be again. Writes only what is new.
    ///
    /// - Parameters:
    ///   - withdrawal: Of the active version; nil to end one.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``.
    package func setWithdrawal(_ withdrawal: Withdrawal?, of name: BundleName, waits: Bool = false) throws {
        let current = snapshot.bundles[name]?.lifecycle.withdrawal
        guard withdrawal.map({ !$0.says(sameAs: current) }) ?? (current != nil) else { return }
        try changing(name, waits: waits) { bundle in
            guard let withdrawal else { return try catalog.endWithdrawal(of: name) }
            guard bundle.activeVersion?.string == withdrawal.version.string else { return }
            try catalog.withdraw(name, withdrawal)
        }
    }
}

extension BundleStore {
    /// Lets no rollback lead to installed releases that are revoked, and none of them become active later. Writes only what
    /// is new; the active release isn't concerned.
    ///
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``.
    package func leaveRevoked(_ versions: Set<String>, of name: BundleName) throws {
        guard !versions.isEmpty, let bundle = snapshot.bundles[name] else { return }
        let left = try Self.accessing(path) { try catalog.leftVersions(of: name) }
        let revoked = bundle.releases.map(\.version).filter {
            versions.contains($0.string) && !left.contains($0.string) && $0.string != bundle.activeVersion?.string
        }
        if !revoked.isEmpty { try Self.accessing(path) { try catalog.leave(revoked, of: name) } }
        guard let pending = bundle.lifecycle.pending, versions.contains(pending.version.string) else { return }
        try changing(name, waits: false) { bundle in
            guard bundle.lifecycle.pending == pending else { return }
            try catalog.endPending(of: name)
        }
    }
}

extension InstalledBundle {
    /// Whether nothing of the active release may be used.
    package var isWithdrawn: Bool { lifecycle.withdrawal.map { $0.version.string == activeVersion?.string } ?? false }
}

extension Withdrawal {
    fileprivate func says(sameAs other: Withdrawal?) -> Bool {
        version.string == other?.version.string && reason == other?.reason
            && successor?.string == other?.successor?.string
    }
}
