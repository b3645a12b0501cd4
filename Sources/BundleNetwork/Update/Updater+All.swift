import BundleInstall
import BundleStore
import Foundation

extension Updater {
    /// Reads the feeds of several bundles, one after the other by name. A feed that fails doesn't prevent the reading
    /// of others.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the manifests name.
    ///   - onOutcome: Called with the outcome of each bundle before the next one begins.
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

    /// Updates several bundles, one after the other by name. A bundle that fails doesn't prevent the updates of others.
    ///
    /// When the task is cancelled, the updates that `onOutcome` has been called with remain.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the manifests name.
    ///   - options: As for ``update(_:feed:options:progress:willFetch:)``.
    ///   - progress: Called periodically with the name of the bundle that is being updated, and the progress of its
    ///     update.
    ///   - willFetch: Called with a bundle and a release that is an update for it, before anything of it is fetched. An
    ///     error thrown by it ends the update of that bundle, and is its outcome.
    ///   - onOutcome: Called with the outcome of each bundle before the next one begins.
    /// - Returns: The outcomes by name, those without a feed included. A failure is what
    ///   ``update(_:feed:options:progress:willFetch:)`` throws.
    /// - Throws: As ``checkAll(_:feeds:onOutcome:)``.
    @discardableResult
    public func updateAll(
        _ names: Set<BundleName>? = nil,
        feeds: [BundleName: URL] = [:],
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (BundleName, ByteProgress) -> Void = { _, _ in },
        willFetch: (BundleName, FeedRelease) throws -> Void = { _, _ in },
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

    private func each<Success>(
        _ names: Set<BundleName>?,
        _ feeds: [BundleName: URL],
        _ onOutcome: (FeedOutcome<Success>) -> Void,
        _ body: (BundleName, URL?) async throws -> Success
    ) async throws -> [FeedOutcome<Success>] {
        try store.refresh()
        let bundles = try names?.sorted().map(store.bundle) ?? store.snapshot.sortedBundles
        for name in feeds.keys.sorted() { _ = try store.bundle(name) }
        var outcomes: [FeedOutcome<Success>] = []
        for bundle in bundles {
            try Task.checkCancellation()
            let feed = feeds[bundle.name]
            let isWanted = names != nil || feed != nil || bundle.hasFeed
            let result = isWanted ? try await outcome { try await body(bundle.name, feed) } : nil
            outcomes.append(FeedOutcome(bundle: bundle, result: result))
            onOutcome(FeedOutcome(bundle: bundle, result: result))
        }
        return outcomes
    }

    /// The result of `body`; throws only when the task is cancelled.
    private func outcome<Success>(
        of body: () async throws -> Success
    ) async throws -> Result<Success, any Error> {
        do {
            return .success(try await body())
        } catch {
            try Task.checkCancellation()
            return .failure(error)
        }
    }
}
