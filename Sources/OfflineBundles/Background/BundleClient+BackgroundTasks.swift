// For Apple's systems alone; see scripts/check-apple. macOS has no such tasks.
#if canImport(BackgroundTasks) && !os(macOS)
    import BackgroundTasks
    import BundleEmbedding
    import BundleUpdate
    import Dispatch
    import Foundation
    import Synchronization

    extension BundleClient {
        /// Registers a task of the app (`BGAppRefreshTask`), in which the system has it update its bundles now and then, and requests the
        /// first one.
        ///
        /// To be called before the app has finished launching, and once for an identifier: otherwise the system raises an exception, which
        /// ends the app. The app needs the background mode `fetch`, and the identifier in `BGTaskSchedulerPermittedIdentifiers` of its
        /// property list. An app has one such task: one that has a task of its own calls
        /// ``updateAll(_:options:)`` in it, and ``suspend()`` after that. The system decides when the task is started, and gives it some 30
        /// seconds; an update that takes longer ends then, and goes on with the next one from where it was.
        ///
        /// - Parameters:
        ///   - identifier: The task's identifier, such as `com.example.shop.update`.
        ///   - interval: The least time between two tasks, and from a start of the app to the next task. More than zero; default: four
        ///     hours.
        ///   - client: Gives the app's client. It is called for each task, on any thread. When it throws, as a store can't be opened before
        ///     the device has been unlocked, the task has failed, and the next one calls it again.
        /// - Returns: False when the property list lacks the identifier.
        @available(iOSApplicationExtension, unavailable)
        @available(tvOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        @discardableResult
        public static func updateInBackground(
            as identifier: String,
            every interval: Duration = .seconds(4 * 3_600),
            client: @escaping @Sendable () async throws -> BundleClient
        ) -> Bool {
            AppPresence.shared.observe()
            let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                // The next one is requested first: this one may be ended.
                requestTask(identifier, after: interval)
                update(client, in: BackgroundTask(task))
            }
            // The call waits for another process, and the app is being launched.
            if isRegistered { DispatchQueue.global(qos: .utility).async { requestTask(identifier, after: interval) } }
            return isRegistered
        }

        /// Leaves large files of ``updateInBackground(as:every:client:)`` to the system. It downloads archives and patches of at least 1 MiB
        /// in a background `URLSession`, also while the app is suspended or ended. Then the system starts the app, if need be, and the
        /// update goes on; see ``handleEvents(forBackgroundSession:)``. Until then the update's outcome is
        /// ``UpdatePostponement/downloading(_:)``. The system decides when it downloads: it may wait for Wi-Fi and power, for up to a day.
        ///
        /// To be called once for a client, as soon as it is opened: so the session finds the tasks that an earlier process has started. Keep
        /// the client for the life of the process: there may be one session with an identifier. The session has the system's settings, and not those of the client's transport. In the task's time the app
        /// itself downloads files from a host with a password of ``FeedCredentials``, and single files of an archive.
        ///
        /// - Parameter identifier: The session's identifier, such as `com.example.shop.downloads`, for this client alone.
        public func downloadInBackground(session identifier: String) {
            #if !canImport(FoundationNetworking)
                downloadInBackground { BackgroundDownloads(URLBackgroundSession(identifier, $0), $0) }
            #endif
        }

        /// Waits until the session of ``downloadInBackground(session:)`` has reported all that happened without the app, and until its files
        /// are installed; or until the task is cancelled. For SwiftUI's `backgroundTask(_:action:)`:
        ///
        ///     .backgroundTask(.urlSession(Shop.downloads)) {
        ///         _ = try? await Shop.client().handleEvents(forBackgroundSession: Shop.downloads)
        ///     }
        ///
        /// - Returns: False at once when the client has no session with this identifier.
        @discardableResult
        public func handleEvents(forBackgroundSession identifier: String) async -> Bool {
            await finishEvents(ofSession: identifier)
        }

        /// The same for `application(_:handleEventsForBackgroundURLSession:completionHandler:)` of an app's delegate.
        ///
        /// - Parameter completionHandler: Called once, on the main thread, and after 25 seconds at the latest. It doesn't wait when the
        ///   client has no session with this identifier.
        @MainActor
        public func handleEvents(forBackgroundSession identifier: String, completionHandler: @escaping () -> Void) {
            let work = Task { @MainActor in
                await handleEvents(forBackgroundSession: identifier)
                completionHandler()
            }
            // The system ends an app that it has started for this and that doesn't respond within some 30 seconds.
            DispatchQueue.global().asyncAfter(deadline: .now() + 25) { work.cancel() }
        }

        private static func requestTask(_ identifier: String, after interval: Duration) {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: interval / .seconds(1))
            // It fails in a simulator, and when the person has switched background tasks off.
            try? BGTaskScheduler.shared.submit(request)
        }

        private static func update(
            _ client: @escaping @Sendable () async throws -> BundleClient,
            in task: BackgroundTask
        ) {
            let work = Task {
                task.complete((try? await client().updateAllInBackground()) ?? false)
            }
            task.onExpiration {
                work.cancel()
                // The system ends an app whose task isn't completed in time.
                DispatchQueue.global().asyncAfter(deadline: .now() + 2) { task.complete(false) }
            }
        }
    }

    /// A task of the system's, completed once. Thread-safe.
    ///
    /// `@unchecked Sendable`: the framework takes calls from any thread, and doesn't say so of its class.
    private final class BackgroundTask: @unchecked Sendable {
        private let task: BGTask
        private let isCompleted = Atomic(false)

        init(_ task: BGTask) {
            self.task = task
        }

        func onExpiration(_ body: @escaping @Sendable () -> Void) { task.expirationHandler = body }

        func complete(_ isSuccess: Bool) {
            guard !isCompleted.exchange(true, ordering: .relaxed) else { return }
            task.setTaskCompleted(success: isSuccess)
        }
    }
#endif
