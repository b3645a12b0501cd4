import BundleStore

/// The state of a bundle for which a release was chosen. Fetching the release may take long: what somebody does with the bundle
/// meanwhile counts. A value type; safe to share between threads.
struct UpdateBasis: Sendable {
    private let store: BundleStore
    private let name: BundleName
    private let isInstalled: Bool
    /// The version that was active.
    private let active: BundleVersion?
    /// The version that was chosen.
    private let chosen: BundleVersion

    init(_ check: UpdateCheck, taking version: BundleVersion, in store: BundleStore) {
        (self.store, name, active, chosen) = (store, check.name, check.local, version)
        isInstalled = store.snapshot.bundles[check.name] != nil
    }

    /// Throws when an operator, or the health of the active release, has changed the bundle in another way than the update
    /// does. To be called while the bundle is locked for what the update does next.
    ///
    /// - Parameter bundle: The bundle as it is; nil when there is none.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy`.
    func check(_ bundle: InstalledBundle?) throws {
        guard let change = try change(to: bundle) else { return }
        throw BundleError(
            .storeBusy,
            "\(name) was \(change) while its update was fetched; nothing was installed"
        )
    }

    /// The same for the bundle as it is now, before work that a change would make useless.
    ///
    /// - Throws: As ``check(_:)``; ``/BundleModel/BundleError`` with code `storeUnavailable` or `storeDamaged` when the store
    ///   can't be read.
    func checkNow() throws {
        try store.refresh()
        try check(store.snapshot.bundles[name])
    }

    private func change(to bundle: InstalledBundle?) throws -> String? {
        guard let bundle else { return isInstalled ? "removed" : nil }
        if try store.updateState(of: name)?.isOnHold == true { return "put on hold" }
        let now = bundle.activeVersion
        guard now?.string != active?.string, now?.string != chosen.string else { return nil }
        return now.map { "changed to \($0)" } ?? "changed"
    }
}
