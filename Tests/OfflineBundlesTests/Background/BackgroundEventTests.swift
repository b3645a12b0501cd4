// On Linux in the graph of Apple's systems alone; see scripts/check-apple.
#if os(Linux) && canImport(BackgroundTasks)
    import BundleTesting
    import BundleUpdate
    import Dispatch
    import Foundation
    import OfflineBundles
    import Testing

    @Suite("Events of a background session", .timeLimit(.minutes(5)))
    struct BackgroundEventTests {
        private static let identifier = "com.example.shop.downloads"

        @Test("the app's delegate is told once, on the main queue, when all has been told")
        func delegate() async throws {
            try await withLoading { app in
                let events = Self.addSession(to: app.client)
                #expect(!Self.isOnMainQueue)
                let calls = Monitor<[Bool]>([])
                await app.client.handleEvents(forBackgroundSession: Self.identifier) {
                    calls.update { $0.append(Self.isOnMainQueue) }
                }
                #expect(calls.state.isEmpty)
                events.deliveredAll()
                try await calls.wait(while: \.isEmpty)
                // The next call waits for what happens after that.
                let later = Task { await app.client.handleEvents(forBackgroundSession: Self.identifier) }
                events.deliveredAll()
                #expect(await later.value)
                #expect(calls.state == [true])
            }
        }

        @Test("the app's delegate doesn't wait for another session, nor for one of a client without any")
        func others() async throws {
            try await withLoading { app in
                for hasSession in [false, true] {
                    if hasSession { _ = Self.addSession(to: app.client) }
                    let calls = Monitor<[Bool]>([])
                    await app.client.handleEvents(forBackgroundSession: "com.example.other") {
                        calls.update { $0.append(Self.isOnMainQueue) }
                    }
                    try await calls.wait(while: \.isEmpty)
                    #expect(calls.state == [true])
                    #expect(await !app.client.handleEvents(forBackgroundSession: "com.example.other"))
                }
            }
        }

        /// In a test program on Linux, other threads than the main one serve the main queue.
        private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

        private static let mark = {
            let mark = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: mark, value: true)
            return mark
        }()

        private static func addSession(to client: BundleClient) -> BackgroundEvents {
            let events = BackgroundEvents { _ in }
            client.downloadInBackground { _ in BackgroundDownloads(IdleSession(identifier: identifier), events) }
            return events
        }
    }

    /// A session without tasks.
    private struct IdleSession: BackgroundSession {
        let identifier: String

        func transfers() async -> [BackgroundTransfer] { [] }
        func start(_ transfer: TransferRequest) throws {}
        func cancel(_ identifiers: Set<Int>) async {}
    }
#endif
