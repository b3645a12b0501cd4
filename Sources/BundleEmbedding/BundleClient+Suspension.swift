import BundleStore
import Dispatch
import Foundation
import Synchronization

/// While the app is in the background.
extension BundleClient {
    /// Has the client hold no lock of the store until ``resume()``: installations, updates and fetching ahead are cancelled and throw
    /// `CancellationError`, and pending responses and counts are written. The next update takes their downloads up.
    ///
    /// Apple's systems end a suspended process that holds a lock in a container that it shares (0xdead10cc). A client suspends itself
    /// when the app, or the host of an extension, enters the background, unless ``Configuration/suspendsWithApp`` is false. A process
    /// that the system starts in the background isn't told; nor is an extension without a host. Call this before their work ends.
    ///
    /// While the client is suspended, files and stored responses are read as before, responses from the network aren't stored, and calls
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
        let isSuspended = suspension.withLock { resumptions in
            // Resumed meanwhile, it stays so.
            if resumptions == count { store.suspendWriting() }
            return resumptions == count
        }
        // Not under the lock: the handler of an event that is being written may take it.
        if isSuspended { store.waitForWrite() }
    }

    /// Releases the memory of stored responses, at most 64 MiB, and of bundled files that have been read. Both are read again from the
    /// disk when they are requested. Responses that aren't on the disk yet stay.
    ///
    /// A client does this by itself when iOS sends the app `didReceiveMemoryWarningNotification`. Bundled files are mapped: their memory
    /// doesn't count as the app's, and the system takes it back at any time.
    public func releaseMemory() {
        responder.releaseMemory()
        for release in store.snapshot.releases { release.dropResidentPages() }
    }

    /// Ends ``suspend()``, and takes what other processes have changed in the store. Does nothing otherwise.
    public func resume() {
        suspension.withLock { resumptions in
            resumptions += 1
            resumeUnderLock()
        }
        Task.detached { [weak self] in self?.refresh() }
    }

    private func resumeUnderLock() {
        lifetime.resume()
        store.resumeWriting()
    }

    /// Runs work while the app may be in the background: the client is suspended after it, if it was before or the app hasn't been active
    /// in this process, and if it hasn't been resumed meanwhile.
    package func whileResumed<Result: Sendable>(_ work: () async -> Result) async -> Result {
        let (count, isInBackground) = suspension.withLock { resumptions in
            let isInBackground = lifetime.isSuspended || appState.suspends && resumptions == 0
            if lifetime.isSuspended { resumptions += 1 }
            resumeUnderLock()
            return (resumptions, isInBackground)
        }
        let result = await work()
        let isSuspended = suspension.withLock { resumptions in
            guard isInBackground, resumptions == count else { return false }
            lifetime.suspend()
            return true
        }
        if isSuspended { await finishSuspending(count) }
        return result
    }
}

/// Suspends a client when the app enters the background, resumes it when it comes back, and releases memory when the system warns.
/// Thread-safe.
///
/// `@unchecked Sendable`: the tokens are written once, before others get the object, and Foundation's center takes them on any thread.
final class AppStateObserver: @unchecked Sendable {
    // The names are those of UIKit, which extensions lack, and of Foundation for the host of an extension. Without either, they are
    // never sent.
    private static let leaving = [
        "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
    ]
    private static let returning = [
        "UIApplicationWillEnterForegroundNotification", "UIApplicationDidBecomeActiveNotification",
        "NSExtensionHostWillEnterForegroundNotification",
    ]

    private static let warning = ["UIApplicationDidReceiveMemoryWarningNotification"]

    /// Whether the client is suspended and resumed.
    let suspends: Bool
    private var tokens: [any NSObjectProtocol] = []

    init(suspends: Bool) {
        self.suspends = suspends
    }

    /// - Parameter client: Not kept.
    func follow(_ client: BundleClient) {
        observe(Self.warning) { [weak client] in client?.releaseMemory() }
        guard suspends else { return }
        observe(Self.leaving) { [weak client] in
            guard let client else { return }
            let count = client.beginSuspending()
            Self.whileRunning { await client.finishSuspending(count) }
        }
        observe(Self.returning) { [weak client] in client?.resume() }
    }

    /// Runs work that the system lets the process end before it suspends it.
    private static func whileRunning(_ work: @escaping @Sendable () async -> Void) {
        #if canImport(Darwin) && !os(macOS)
            let end = DispatchSemaphore(value: 0)
            ProcessInfo.processInfo.performExpiringActivity(withReason: "offline-bundles.suspend") { isExpired in
                // Called once more, beside the first call, when the time is over.
                guard !isExpired else { return _ = end.signal() }
                Task {
                    await work()
                    end.signal()
                }
                end.wait()
            }
        #else
            Task { await work() }
        #endif
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
