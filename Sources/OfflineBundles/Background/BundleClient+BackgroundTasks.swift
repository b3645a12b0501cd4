// For Apple's systems alone; see scripts/check-apple. macOS has no such tasks.
#if canImport(BackgroundTasks) && !os(macOS)
    import BackgroundTasks
    import BundleEmbedding
    import Foundation

    extension BundleClient {
        /// Has the system start the app now and then, to update its bundles (`BGAppRefreshTask`).
        ///
        /// To be called once, before the app has finished launching. The app needs the background mode `fetch`, and the identifier in
        /// `BGTaskSchedulerPermittedIdentifiers` of its property list. The system decides when a task is started, and gives it some 30
        /// seconds; an update that takes longer ends then, and goes on with the next one from where it was. The client is retained.
        ///
        /// - Parameters:
        ///   - identifier: The task's identifier, such as `com.example.shop.update`.
        ///   - interval: The least time between two tasks. More than zero; default: four hours.
        /// - Returns: False when the property list lacks the identifier.
        @discardableResult
        public func updateInBackground(
            as identifier: String,
            every interval: Duration = .seconds(4 * 3_600)
        ) -> Bool {
            let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                // The next one is requested first: this one may be ended.
                Self.requestTask(identifier, after: interval)
                self.update(in: task)
            }
            if isRegistered { Self.requestTask(identifier, after: interval) }
            return isRegistered
        }

        private static func requestTask(_ identifier: String, after interval: Duration) {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: interval / .seconds(1))
            // It fails in a simulator, and when the person has switched background tasks off.
            try? BGTaskScheduler.shared.submit(request)
        }

        private func update(in task: BGTask) {
            // The framework takes calls from any thread, and its class isn't marked as Sendable.
            nonisolated(unsafe) let task = task
            let work = Task {
                let outcomes = await whileResumed { try? await updateAll() }
                task.setTaskCompleted(success: outcomes?.allSatisfy { $0.error == nil } ?? false)
            }
            task.expirationHandler = { work.cancel() }
        }
    }
#endif
