import BundleInstall
import BundleNetwork
import BundleStore
import Foundation

/// Checking for updates, and installing them.
extension BundleClient {
    /// Reads the feed of a bundle, see ``/BundleNetwork/Updater/check(_:feed:)``.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as the updater does; with code `networkUnavailable` without a network, and
    ///   `storeUnavailable` after ``close()``; `CancellationError` when the task is cancelled.
    public func check(_ name: BundleName, feed: URL? = nil) async throws -> UpdateCheck {
        try await updating { try await $0.check(name, feed: feed) }
    }

    /// Updates a bundle, see ``/BundleNetwork/Updater/update(_:feed:options:progress:willFetch:)``. Cancelling the task
    /// leaves the version before active.
    ///
    /// - Parameters:
    ///   - name: An installed bundle.
    ///   - feed: The feed's URL; nil for the one that the manifest names.
    ///   - options: How the archive is read.
    ///   - progress: Called periodically with the bytes of the archive that are done; it counts twice, once for fetching and
    ///     once for installing it. The sequence ``progress`` has it too.
    /// - Throws: As ``check(_:feed:)``.
    @discardableResult
    public func update(
        _ name: BundleName,
        feed: URL? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> UpdateResult {
        try await updating { [self] updater in
            try await updater.update(name, feed: feed, options: options) { [self] bytes in
                progress(bytes)
                progressBroadcast.send(WorkProgress(work: .update(name), bytes: bytes))
            }
        }
    }

    /// Reads the feeds of several bundles, see ``/BundleNetwork/Updater/checkAll(_:feeds:onOutcome:)``.
    ///
    /// - Throws: As ``check(_:feed:)``, for what concerns them all.
    public func checkAll(_ names: Set<BundleName>? = nil) async throws -> [FeedOutcome<UpdateCheck>] {
        try await updating { try await $0.checkAll(names) }
    }

    /// Updates several bundles, see ``/BundleNetwork/Updater/updateAll(_:feeds:options:progress:willFetch:onOutcome:)``.
    ///
    /// - Throws: As ``check(_:feed:)``, for what concerns them all.
    @discardableResult
    public func updateAll(
        _ names: Set<BundleName>? = nil,
        options: InstallOptions = InstallOptions()
    ) async throws -> [FeedOutcome<UpdateResult>] {
        try await updating { [self] updater in
            try await updater.updateAll(
                names,
                options: options,
                progress: { [self] name, bytes in
                    progressBroadcast.send(WorkProgress(work: .update(name), bytes: bytes))
                },
                onOutcome: { [self] _ in refresh() }
            )
        }
    }

    /// What has happened to a bundle, or to all bundles, the oldest first; see ``/BundleStore/BundleStore/history(of:)``.
    public func history(of name: BundleName? = nil) throws -> [UpdateEvent] {
        try store.history(of: name)
    }

    private func updating<Result: Sendable>(
        _ work: @escaping @Sendable (Updater) async throws -> Result
    ) async throws -> Result {
        guard let updater else {
            throw BundleError(
                .networkUnavailable,
                "the client of the store in \(store.path) has no network; give it one"
            )
        }
        return try await lifetime.run { [self] in
            let result = try await work(updater)
            refresh()
            return result
        }
    }
}
