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
