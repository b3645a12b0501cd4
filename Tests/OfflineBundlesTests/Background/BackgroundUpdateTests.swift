// On Linux in the graph of Apple's systems alone; see scripts/check-apple.
#if os(Linux) && canImport(BackgroundTasks)
    import BackgroundTasks
    import BundleTesting
    import Foundation
    import OfflineBundles
    import Testing

    @Suite("Updating in the background", .timeLimit(.minutes(5)))
    struct BackgroundUpdateTests {
        @Test("updates when the system starts a task, says how that went, and asks for the next task")
        func update() async throws {
            try await withLoading(members: #""feed": "\#(Self.feed)""#) { app in
                let identifier = "com.example.update"
                let requests = { BGTaskScheduler.shared.requests.filter { $0.identifier == identifier } }
                #expect(app.client.updateInBackground(as: identifier, every: .seconds(3_600)))
                #expect(requests().count == 1)
                let ends = Monitor<[Bool]>([])
                Self.launch(identifier, ends)
                // Nothing listens there.
                let end = try await Self.end(ends)
                #expect(end == [false])
                #expect(requests().count == 2)
                let delay = try #require(requests().last?.earliestBeginDate).timeIntervalSinceNow
                #expect((3_000...3_600).contains(delay))
            }
        }

        @Test("is done when there is nothing to update")
        func nothing() async throws {
            try await withLoading { app in
                #expect(app.client.updateInBackground(as: "com.example.nothing"))
                let ends = Monitor<[Bool]>([])
                Self.launch("com.example.nothing", ends)
                let end = try await Self.end(ends)
                #expect(end == [true])
                // The app hasn't been active in this process.
                let error = await #expect(throws: BundleError.self) { try await app.client.hold("shop") }
                #expect(error?.message.contains("suspended") == true)
                NotificationCenter.default.post(name: Notification.Name(Self.activation), object: nil)
                try await app.client.hold("shop")
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
                try await withLoading(members: #""feed": "\#(origin.baseURL)/feed.json""#) { app in
                    #expect(app.client.updateInBackground(as: "com.example.expiration"))
                    let ends = Monitor<[Bool]>([])
                    let expire = Self.launch("com.example.expiration", ends)
                    try await latch.waitForArrivals()
                    expire()
                    let end = try await Self.end(ends)
                    #expect(end == [false])
                    latch.open()
                }
            }
        }

        @Test("needs an identifier of the property list")
        func identifier() async throws {
            try await withLoading { app in
                #expect(!app.client.updateInBackground(as: "org.other.update"))
                #expect(!BGTaskScheduler.shared.requests.contains { $0.identifier == "org.other.update" })
            }
        }

        private static let activation = "UIApplicationDidBecomeActiveNotification"
        private static let feed = "http://127.0.0.1:9/feed.json"

        /// Starts a task, as the system does.
        ///
        /// - Returns: Says that its time is over.
        @discardableResult
        private static func launch(_ identifier: String, _ ends: Monitor<[Bool]>) -> @Sendable () -> Void {
            nonisolated(unsafe) let task = BGAppRefreshTask(identifier: identifier)
            task.onCompletion = { success in ends.update { $0.append(success) } }
            BGTaskScheduler.shared.launch(task)
            return { task.expirationHandler?() }
        }

        private static func end(_ ends: Monitor<[Bool]>) async throws -> [Bool] {
            try await ends.wait(for: "the end of the task", deadline: .seconds(60)) { $0.isEmpty ? nil : $0 }
        }
    }
#endif
