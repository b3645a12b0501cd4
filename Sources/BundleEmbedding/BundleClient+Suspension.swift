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
        suspension.withLock { state in
            lifetime.suspend()
            return state.resumptions
        }
    }

    func finishSuspending(_ count: Int) async {
        await lifetime.waitForLocks()
        await responder.flushStatistics()
        await store.flushCache()
        let isSuspended = suspension.withLock { state in
            // Resumed meanwhile, it stays so.
            if state.resumptions == count { store.suspendWriting() }
            return state.resumptions == count
        }
        // Not under the lock: the handler of an event that is being written may take it.
        if isSuspended { store.waitForWrite() }
    }

    /// Releases the memory of stored responses, see ``Configuration/cacheMemoryByteCount``, and of bundled files that have been read. Both
    /// are read again from the disk when they are requested. Responses that aren't on the disk yet stay.
    ///
    /// A client calls this when iOS sends the app `didReceiveMemoryWarningNotification`. Bundled files are mapped: their memory
    /// doesn't count as the app's, and the system takes it back at any time.
    public func releaseMemory() {
        responder.releaseMemory()
        for release in store.snapshot.releases { release.dropResidentPages() }
    }

    /// Ends ``suspend()``, and takes what other processes have changed in the store. Does nothing otherwise.
    public func resume() {
        suspension.withLock { state in
            state.resumptions += 1
            resumeUnderLock()
        }
        Task.detached { [weak self] in self?.refresh() }
    }

    private func resumeUnderLock() {
        lifetime.resume()
        store.resumeWriting()
    }

    /// Runs work while the app may be in the background: the client is suspended after the last such work that runs, if it was before the
    /// first one or it was never resumed and the app isn't in the foreground, and if it hasn't been resumed meanwhile.
    package func whileResumed<Result: Sendable>(_ work: () async -> Result) async -> Result {
        suspension.withLock { state in
            let isInBackground = appState.suspends && !AppPresence.shared.isInForeground
            state.beginWork(isSuspended: lifetime.isSuspended, isInBackground: isInBackground)
            resumeUnderLock()
        }
        let result = await work()
        let count = suspension.withLock { state in
            guard state.endWork() else { return nil as Int? }
            lifetime.suspend()
            return state.resumptions
        }
        if let count { await finishSuspending(count) }
        return result
    }
}

/// How a client was resumed, and what runs while the app may be in the background. A value type.
struct SuspensionState {
    /// How often the client was resumed, by the app or for work.
    var resumptions = 0
    private var workCount = 0
    /// The resumptions at which the client is suspended after the last work; nil when it stays resumed.
    private var expected: Int?

    /// - Parameters:
    ///   - isSuspended: Whether the client is suspended.
    ///   - isInBackground: Whether the app counts as being in the background.
    mutating func beginWork(isSuspended: Bool, isInBackground: Bool) {
        if isSuspended { resumptions += 1 }
        if isSuspended || workCount == 0 {
            expected = isSuspended || isInBackground && resumptions == 0 ? resumptions : nil
        }
        workCount += 1
    }

    /// Returns whether the client is suspended now.
    mutating func endWork() -> Bool {
        workCount -= 1
        return workCount == 0 && expected == resumptions
    }
}

/// Whether the app is in the foreground, as far as its notifications have said since this was first used. There is one for the process,
/// since a client may be made later. Thread-safe.
package final class AppPresence: Sendable {
    /// That of the process.
    package static let shared = AppPresence()

    private let foreground = Atomic(false)

    private init() {
        for (names, isInForeground) in [(AppStateObserver.leaving, false), (AppStateObserver.returning, true)] {
            for name in names {
                // Observed as long as the process lives.
                _ = NotificationCenter.default.addObserver(forName: .init(name), object: nil, queue: nil) { [self] _ in
                    foreground.store(isInForeground, ordering: .relaxed)
                }
            }
        }
    }

    /// Whether the app is in the foreground. False as long as no notification says so.
    var isInForeground: Bool { foreground.load(ordering: .relaxed) }

    /// Begins to observe: as early as possible, before the app is active.
    package func observe() {}
}

/// Suspends a client when the app enters the background, resumes it when it comes back, and releases memory when the system warns.
/// Thread-safe.
///
/// `@unchecked Sendable`: the tokens are written once, before others get the object, and Foundation's center takes them on any thread.
final class AppStateObserver: @unchecked Sendable {
    // The names are those of UIKit, which extensions lack, and of Foundation for the host of an extension. Without either, they are
    // never sent.
    fileprivate static let leaving = [
        "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
    ]
    fileprivate static let returning = [
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
        AppPresence.shared.observe()
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
    ///
    /// - Parameter onExpiration: Called when the time for that is over, and makes the work end; nil where nothing can. Apple's systems
    ///   alone call it.
    static func whileRunning(
        _ work: @escaping @Sendable () async -> Void,
        onExpiration: (@Sendable () -> Void)? = nil
    ) {
        #if canImport(Darwin) && !os(macOS)
            let activity = ExpiringActivity()
            ProcessInfo.processInfo.performExpiringActivity(withReason: "offline-bundles.suspend") { isExpired in
                let isFirst = !activity.hasBegun.exchange(true, ordering: .relaxed)
                switch (isExpired, isFirst) {
                case (false, _):
                    Task {
                        await work()
                        activity.end.signal()
                    }
                    activity.end.wait()
                // The system gives no time: the work runs as far as it comes.
                case (true, true): Task { await work() }
                // Called once more, beside the first call, when the time is over.
                case (true, false):
                    guard let onExpiration else { return _ = activity.end.signal() }
                    onExpiration()
                }
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

#if canImport(Darwin) && !os(macOS)
    /// Work that the system lets the process end. Thread-safe.
    private final class ExpiringActivity: Sendable {
        /// Whether the system has called its block.
        let hasBegun = Atomic(false)
        /// Signalled when the work has ended, or its time is over.
        let end = DispatchSemaphore(value: 0)
    }
#endif
