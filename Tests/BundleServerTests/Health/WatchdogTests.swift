import BundleTesting
import Testing

@testable import BundleServer

@Suite("Watchdog")
struct WatchdogTests {
    @Test("notifies twice in an interval, and not while a probe hangs", .timeLimit(.minutes(5)))
    func notified() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "notify")
            let socket = try NotificationSocket(at: path)
            let manager = try #require(ServiceManager(["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "30000000"]))
            let (clock, hanging, probes) = (TestClock(), Latch(), Monitor(0))
            let watchdog = try #require(Watchdog(manager, clock: clock))
            let running = Task {
                await watchdog.run {
                    if probes.update({
                        $0 += 1; return $0
                    }) == 3 {
                        try? await hanging.wait()
                    }
                }
            }
            for probe in 1...2 {
                #expect(try await socket.next() == "WATCHDOG=1")
                try await clock.waitForSleeps(probe)
                clock.advance(by: .seconds(15))
            }
            try await hanging.waitForArrivals()
            manager.notify("still hanging")
            hanging.open()
            #expect(try await socket.next() == "still hanging")
            #expect(try await socket.next() == "WATCHDOG=1")
            running.cancel()
            await running.value
        }
    }

    @Test("isn't made when the service manager doesn't watch the process")
    func absent() {
        #expect(Watchdog(nil, clock: TestClock()) == nil)
        #expect(Watchdog(ServiceManager(["NOTIFY_SOCKET": "/notify"]), clock: TestClock()) == nil)
    }
}
