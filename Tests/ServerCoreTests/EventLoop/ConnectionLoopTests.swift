#if os(Linux)
    import BundleTesting
    import Foundation
    import Synchronization
    import Testing

    @testable import ServerCore

    @Suite("A loop's probe", .timeLimit(.minutes(5)))
    struct ConnectionLoopTests {
        @Test("returns once the loop has had a turn, and at once when it has ended")
        func probe() async throws {
            let loop = try Self.loop()
            let events = Mutex<[String]>([])
            let probing = Task {
                await loop.probe()
                events.withLock { $0.append("probed") }
            }
            // It has no turn before it runs.
            events.withLock { $0.append("run") }
            let ended = Latch()
            Thread.detachNewThread {
                _ = loop.run()
                ended.open()
            }
            await probing.value
            #expect(events.withLock(\.self) == ["run", "probed"])
            await loop.probe()
            loop.stop()
            try await ended.wait()
            await loop.probe()
        }

        @Test("returns when the loop ends without a turn")
        func ended() async throws {
            let loop = try Self.loop()
            async let probing: Void = loop.probe()
            loop.stop()
            #expect(loop.run() == 0)
            await probing
        }

        private static func loop() throws -> ConnectionLoop {
            let settings = ChannelSettings.bare(LatchedResponder())
            return try ConnectionLoop(
                listeners: [],
                settings: LoopSettings(
                    responder: settings.responder,
                    limits: settings.limits,
                    limiter: AddressLimiter.connections(settings.limits, metrics: nil),
                    recorder: settings.recorder,
                    failures: AcceptFailureLog(logger: settings.logger) { .now },
                    now: { .now },
                    readyResponseCount: 16,
                    migrate: { _ in },
                    onAcceptingEnd: {}
                )
            )
        }
    }
#endif
