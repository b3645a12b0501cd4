import BundleStore
import Foundation
import Synchronization

/// While the app is in the background.
extension BundleClient {
    /// Has the client hold no lock of the store until ``resume()``: installations, updates and fetching ahead are cancelled and throw
    /// `CancellationError`, and what was loaded and counted is written. Downloads are taken up by the next update.
    ///
    /// Apple's systems end a suspended process that holds a lock in a container that it shares (0xdead10cc). A client does this by itself
    /// when the app, or the host of an extension, enters the background, unless ``Configuration/suspendsWithApp`` is false.
    /// While it is suspended, files and stored responses are read as before, what is loaded from the network isn't stored, and calls
    /// that change the store throw ``/BundleModel/BundleError`` with code `storeUnavailable`. Calls on ``store`` and ``installer`` that
    /// are under way are the app's to end.
    public func suspend() async {
        await finishSuspending(beginSuspending())
    }

    /// The part of ``suspend()`` that doesn't wait.
    ///
    /// - Returns: How often the client was resumed before.
    func beginSuspending() -> Int {
        suspension.withLock { resumptions in
            lifetime.suspend()
            return resumptions
        }
    }

    func finishSuspending(_ count: Int) async {
        await lifetime.waitForLocks()
        await responder.flushStatistics()
        await store.flushCache()
        // Resumed meanwhile, it stays so.
        suspension.withLock { resumptions in
            if resumptions == count { store.suspendWriting() }
        }
    }

    /// Ends ``suspend()``, and takes what other processes have changed in the store. Does nothing otherwise.
    public func resume() {
        suspension.withLock { resumptions in
            resumptions += 1
            lifetime.resume()
            store.resumeWriting()
        }
        Task.detached { [weak self] in self?.refresh() }
    }

    /// Runs work while the app is in the background: the client is suspended again after it, if it was before and hasn't been resumed
    /// meanwhile.
    package func whileResumed<Result: Sendable>(_ work: () async -> Result) async -> Result {
        guard lifetime.isSuspended else { return await work() }
        resume()
        let count = suspension.withLock { $0 }
        let result = await work()
        if suspension.withLock({ $0 }) == count { await suspend() }
        return result
    }
}

/// Suspends a client when the app enters the background, and resumes it when it comes back. Thread-safe.
///
/// `@unchecked Sendable`: the tokens are written once, before others get the object, and Foundation's center takes them on any thread.
final class AppStateObserver: @unchecked Sendable {
    // The names are those of UIKit, which extensions lack, and of Foundation for the host of an extension. Without either, they are
    // never sent.
    private static let leaving = [
        "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
    ]
    private static let returning = [
        "UIApplicationWillEnterForegroundNotification", "NSExtensionHostWillEnterForegroundNotification",
    ]

    private var tokens: [any NSObjectProtocol] = []

    /// - Parameter client: Not kept.
    func follow(_ client: BundleClient) {
        observe(Self.leaving) { [weak client] in
            guard let client else { return }
            let count = client.beginSuspending()
            Task { await client.finishSuspending(count) }
        }
        observe(Self.returning) { [weak client] in client?.resume() }
    }

    private func observe(_ names: [String], _ body: @escaping @Sendable () -> Void) {
        tokens += names.map { name in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                body()
            }
        }
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
