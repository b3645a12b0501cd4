import BundleStore
import Foundation

/// What a release was chosen for. Fetching it may take long: what somebody does with the bundle meanwhile counts.
struct UpdateBasis: Sendable {
    let name: BundleName
    /// Whether the bundle's updates come from the feed that offers the release, by its manifest or by an operator.
    let isFollowed: Bool
    /// Where the feed was asked for.
    let feed: URL?
    private let store: BundleStore
    private let isInstalled: Bool
    /// The version that was active.
    private let active: BundleVersion?

    init(_ check: UpdateCheck, isFollowed: Bool = true, in store: BundleStore) {
        (self.isFollowed, self.store) = (isFollowed, store)
        feed = URL(string: check.feed)
        (name, active) = (check.name, check.local)
        isInstalled = store.snapshot.bundles[check.name] != nil
    }

    /// Throws when an operator, or the health of the active release, has changed the bundle in another way than the update
    /// does.
    ///
    /// - Parameters:
    ///   - bundle: The bundle as it is; nil when there is none.
    ///   - version: The version that was chosen.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy`.
    func check(_ bundle: InstalledBundle?, taking version: BundleVersion) throws {
        guard let change = try change(to: bundle, taking: version) else { return }
        throw BundleError(
            .storeBusy,
            "\(name) was \(change) while its update was fetched; nothing was installed"
        )
    }

    private func change(to bundle: InstalledBundle?, taking version: BundleVersion) throws -> String? {
        guard let bundle else { return isInstalled ? "removed" : nil }
        if try store.updateState(of: name)?.isOnHold == true { return "put on hold" }
        let now = bundle.activeVersion
        guard now?.string != active?.string, now?.string != version.string else { return nil }
        return now.map { "changed to \($0)" } ?? "changed"
    }
}
