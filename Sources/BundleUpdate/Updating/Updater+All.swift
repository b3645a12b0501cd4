import BundleInstall
import BundleStore
import Foundation

extension Updater {
    /// Reads the feeds of several bundles side by side: up to 256, and up to 4 of one host. A feed that fails, or doesn't
    /// respond, neither prevents nor delays the reading of others.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the manifests name.
    ///   - onOutcome: Called with the outcome of each bundle as it is there, one at a time.
    /// - Returns: The outcomes by name, those without a feed included. A failure is what ``check(_:feed:)`` throws.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no bundle of a name in
    ///   `names` or `feeds`, `storeUnavailable` or `storeDamaged` when the store can't be read; `CancellationError`
    ///   when the task is cancelled.
    @discardableResult
    public func checkAll(
        _ names: Set<BundleName>? = nil,
        feeds: [BundleName: URL] = [:],
        onOutcome: (FeedOutcome<UpdateCheck>) -> Void = { _ in }
    ) async throws -> [FeedOutcome<UpdateCheck>] {
        try await each(names, feeds, onOutcome) { try await check($0, feed: $1) }
    }

    /// Updates several bundles side by side: up to 256, and up to 4 files of one host are fetched at once. Archives are
    /// installed one at a time. A bundle that fails, or whose host doesn't respond, neither prevents nor delays the updates of others.
    ///
    /// When the task is cancelled, the updates that are complete remain.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the manifests name.
    ///   - options: As for ``update(_:feed:options:progress:willFetch:)``.
    ///   - progress: Called periodically with the name of a bundle that is being updated, and the progress of its
    ///     update.
    ///   - willFetch: Called with a bundle and a release that is an update for it, before anything of it is fetched. An
    ///     error thrown by it ends the update of that bundle, and is its outcome.
    ///   - onOutcome: Called with the outcome of each bundle as it is there, one at a time.
    /// - Returns: The outcomes by name, those without a feed included. A failure is what
    ///   ``update(_:feed:options:progress:willFetch:)`` throws.
    /// - Throws: As ``checkAll(_:feeds:onOutcome:)``.
    @discardableResult
    public func updateAll(
        _ names: Set<BundleName>? = nil,
        feeds: [BundleName: URL] = [:],
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (BundleName, ByteProgress) -> Void = { _, _ in },
        willFetch: @escaping @Sendable (BundleName, FeedRelease) throws -> Void = { _, _ in },
        onOutcome: (FeedOutcome<UpdateResult>) -> Void = { _ in }
    ) async throws -> [FeedOutcome<UpdateResult>] {
        try await each(names, feeds, onOutcome) { name, feed in
            try await update(
                name,
                feed: feed,
                options: options,
                progress: { progress(name, $0) },
                willFetch: { try willFetch(name, $0) }
            )
        }
    }

    /// Prunes what updates have superseded, between two installations of this updater. As
    /// ``/BundleStore/BundleStore/pruneUnlessBusy(keeping:of:sparing:waits:)``.
    package func pruneUnlessBusy(of names: Set<BundleName>) async throws -> BundleStore.PruneReport? {
        try await permits.install { try store.pruneUnlessBusy(of: names) }
    }

    private func each<Success>(
        _ names: Set<BundleName>?,
        _ feeds: [BundleName: URL],
        _ onOutcome: (FeedOutcome<Success>) -> Void,
        _ body: @escaping @Sendable (BundleName, URL?) async throws -> Success
    ) async throws -> [FeedOutcome<Success>] {
        try store.refresh()
        let bundles = try names?.sorted().map(store.bundle) ?? store.snapshot.sortedBundles
        for name in feeds.keys.sorted() { _ = try store.bundle(name) }
        let outcomes = try await withThrowingTaskGroup(of: FeedOutcome<Success>.self) { group in
            for bundle in bundles {
                let chosen = try store.updateState(of: bundle.name)?.chosenFeed
                let feed = feeds[bundle.name] ?? chosen.flatMap { URL(string: $0.url) }
                let isWanted = names != nil || feed != nil || bundle.hasFeed
                group.addTask {
                    guard isWanted else { return FeedOutcome(bundle: bundle, result: nil) }
                    let result = try await outcome { try await body(bundle.name, feed) }
                    return FeedOutcome(bundle: bundle, result: result)
                }
            }
            var outcomes: [FeedOutcome<Success>] = []
            for try await outcome in group {
                outcomes.append(outcome)
                onOutcome(outcome)
            }
            return outcomes
        }
        return outcomes.sorted { $0.name < $1.name }
    }

    /// The result of `body`; throws only when the task is cancelled.
    private func outcome<Success: Sendable>(
        of body: () async throws -> Success
    ) async throws -> Result<Success, any Error> {
        do {
            return .success(try await permits.update(body))
        } catch {
            try Task.checkCancellation()
            return .failure(error)
        }
    }
}
