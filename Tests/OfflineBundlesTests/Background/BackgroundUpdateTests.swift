// On Linux in the graph of Apple's systems alone; see scripts/check-apple.
#if os(Linux) && canImport(BackgroundTasks)
    import BackgroundTasks
    import BundleTesting
    import Foundation
    import OfflineBundles
    import Synchronization
    import Testing

    @Suite("Updating in the background", .serialized, .timeLimit(.minutes(5)))
    struct BackgroundUpdateTests {
        @Test("updates when the system starts a task, says how that went, and asks for the next task")
        func update() async throws {
            try await withApp(members: #""feed": "http://127.0.0.1:9/feed.json""#) { client in
                #expect(BundleClient.updateInBackground(as: Self.identifier, every: .seconds(3_600)) { client })
                try await Self.waitForRequest()
                // Nothing listens there.
                let end = try await Self.end(of: Self.launch())
                #expect(end == [false])
                let delay = try #require(try await Self.waitForRequest()).timeIntervalSinceNow
                #expect((3_000...3_600).contains(delay))
            }
        }

        @Test("is done when there is nothing to update")
        func nothing() async throws {
            try await withApp { client in
                #expect(BundleClient.updateInBackground(as: Self.identifier) { client })
                let end = try await Self.end(of: Self.launch())
                #expect(end == [true])
                // The app hasn't been active in this process.
                let error = await #expect(throws: BundleError.self) { try await client.hold("shop") }
                #expect(error?.message.contains("suspended") == true)
                NotificationCenter.default.post(name: Notification.Name(Self.activation), object: nil)
                try await client.hold("shop")
                // Other tests begin in the background, too.
                NotificationCenter.default.post(name: Notification.Name(Self.leaving), object: nil)
            }
        }

        @Test("ends when the system's time is over")
        func expiration() async throws {
            try await withOriginServer { origin in
                let latch = Latch()
                origin.route("/feed.json") { _ in
                    try await latch.wait()
                    return ScriptedResponse("")
                }
                try await withApp(members: #""feed": "\#(origin.baseURL)/feed.json""#) { client in
                    #expect(BundleClient.updateInBackground(as: Self.identifier) { client })
                    let task = Self.launch()
                    try await latch.waitForArrivals()
                    task.expire()
                    let end = try await Self.end(of: task)
                    #expect(end == [false])
                    // The update ends too: after it the client is suspended.
                    try await eventually {
                        do {
                            try await client.retry("shop")
                            return false
                        } catch {
                            return true
                        }
                    }
                    latch.open()
                }
            }
        }

        @Test(
            "opens the client when the task is started: a store that couldn't be opened then is opened by the next task"
        )
        func lateClient() async throws {
            try await withApp { client in
                let calls = Atomic(0)
                let isRegistered = BundleClient.updateInBackground(as: Self.identifier) {
                    let call = calls.add(1, ordering: .relaxed).newValue
                    guard call > 1 else { throw BundleError(.storeUnavailable, "the device is locked") }
                    return client
                }
                #expect(isRegistered)
                #expect(calls.load(ordering: .relaxed) == 0)
                for success in [false, true] {
                    let end = try await Self.end(of: Self.launch())
                    #expect(end == [success])
                    try await Self.waitForRequest()
                }
            }
        }

        @Test("updates when a person has switched background tasks on again, and the app was started since")
        func unavailable() async throws {
            try await withApp { client in
                BGTaskScheduler.shared.switchOff()
                #expect(BundleClient.updateInBackground(as: Self.identifier) { client })
                try await eventually { BGTaskScheduler.shared.submissionCount == 1 }
                #expect(BGTaskScheduler.shared.pending.isEmpty)
                BGTaskScheduler.restart()
                #expect(BundleClient.updateInBackground(as: Self.identifier) { client })
                try await Self.waitForRequest()
            }
        }

        @Test("needs an identifier of the property list")
        func identifier() async throws {
            try await withApp { client in
                #expect(!BundleClient.updateInBackground(as: "org.other.update") { client })
                #expect(BGTaskScheduler.shared.pending.isEmpty)
            }
        }

        private static let identifier = "com.example.shop.update"
        private static let leaving = "UIApplicationDidEnterBackgroundNotification"
        private static let activation = "UIApplicationDidBecomeActiveNotification"

        /// Waits until the next task has been requested, and returns the earliest time for it.
        @discardableResult
        private static func waitForRequest() async throws -> Date? {
            try await eventually { BGTaskScheduler.shared.pending[identifier] != nil }
            return BGTaskScheduler.shared.pending[identifier].flatMap(\.self)
        }

        private func withApp(members: String = "", _ body: (BundleClient) async throws -> Void) async throws {
            BGTaskScheduler.restart()
            try await withLoading(members: members) { app in try await body(app.client) }
        }

        /// Starts a task, as the system does.
        private static func launch() -> StartedTask {
            let started = StartedTask(BGAppRefreshTask(identifier: identifier))
            BGTaskScheduler.shared.launch(started.task)
            return started
        }

        private static func end(of started: StartedTask) async throws -> [Bool] {
            try await started.ends.wait(for: "the end of the task", deadline: .seconds(60)) { $0.isEmpty ? nil : $0 }
        }
    }

    /// A task of the system's, with what it was completed with.
    private struct StartedTask {
        let task: BGAppRefreshTask
        let ends = Monitor<[Bool]>([])

        init(_ task: BGAppRefreshTask) {
            self.task = task
            task.onCompletion = { [ends] success in ends.update { $0.append(success) } }
        }

        /// Says that the system's time is over.
        func expire() { task.expirationHandler?() }
    }
#endif
