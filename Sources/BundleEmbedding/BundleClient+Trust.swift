import BundleStore
import BundleUpdate
import HTTPCore

/// Who vouches for what is installed.
extension BundleClient {
    /// By which root the feed of a bundle is trusted, and which keys vouch for what until when. Reads the store, without a network.
    /// ``/BundleStore/InstalledBundle/signedBy`` says whether the active release is vouched for.
    ///
    /// - Returns: Nil when the feed needn't be signed. The root of ``/BundleUpdate/Updater/Configuration/roots`` is trusted from the
    ///   client's opening on, and one of which only the digest is known once something of the feed is installed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when it can't be read; `storeUnavailable` after ``close()``.
    public func trust(of name: BundleName) async throws -> TrustReport? {
        try await lifetime.run { [self] in
            try await withTaskExecutorPreference(BlockingExecutor()) { try TrustReport(of: name, in: store) }
        }
    }

    /// Ends the trust in the feed of a bundle: for an app whose publisher has begun with a new root. What is installed stays. The root of
    /// ``/BundleUpdate/Updater/Configuration/roots`` is trusted in its place at once; without one the next feed needn't be signed.
    ///
    /// - Returns: Whether there was any trust to end.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written, while the client is suspended,
    ///   and after ``close()``.
    @discardableResult
    public func removeTrust(of name: BundleName) async throws -> Bool {
        try await blocking { [self] in
            let hasEnded = try store.endTrust(of: name)
            if let root = roots[name] { try store.trust(name, shipped: root) }
            return hasEnded
        }
    }

    /// Has the feeds trusted by the roots of the configuration. Where that fails, as for a feed that is trusted by another root, each
    /// update says so: what is installed goes on working.
    func beginTrust() {
        for (name, root) in roots { _ = try? store.trust(name, shipped: root) }
    }
}
