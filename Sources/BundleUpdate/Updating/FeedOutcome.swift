import BundleStore
import Foundation

/// What a check or an update of several bundles has come to for one of them. A value; safe to share between threads.
public struct FeedOutcome<Success: Sendable>: Sendable {
    /// The bundle as it was before.
    public let bundle: InstalledBundle
    /// The result, or the error that affects this bundle alone; nil for a bundle without a feed that wasn't named.
    public let result: Result<Success, any Error>?

    /// The bundle's name.
    public var name: BundleName { bundle.name }
    /// The result; nil without one, and when there was an error.
    public var value: Success? { try? result?.get() }
    /// The error that affects this bundle alone; nil for none.
    public var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
}

extension FeedOutcome<UpdateResult> {
    /// Whether a higher version is active now.
    public var isUpdated: Bool { if case .updated? = value { true } else { false } }
}

/// Checks or updates several bundles side by side. A value type; safe to share between threads.
struct ConcurrentBundles: Sendable {
    let store: BundleStore
    /// Bounds how many bundles are under way.
    let permits: UpdatePermits

    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the bundles follow.
    ///   - onOutcome: Called with the outcome of each bundle as it is there, one at a time.
    ///   - body: Gets a bundle, and the feed that an operator has named for it, if any.
    /// - Returns: The outcomes by name, those without a feed included.
    /// - Throws: As ``Updater/checkAll(_:feeds:onOutcome:)``.
    func each<Success>(
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
