import BundleTesting
import Synchronization
import Testing

@testable import BundleServer

@Suite("The state that dashboards share")
struct DashboardSourceTests {
    @Test func `is read at most once a second, however many ask`() async {
        let source = CountedSource()
        for _ in 0..<3 { #expect(await source.document == "1") }
        source.pass(.milliseconds(999))
        #expect(await source.document == "1")
        source.pass(.milliseconds(1))
        #expect(await source.document == "2")
    }

    @Test func `is read for at most a twentieth of the time`() async {
        let source = CountedSource(cost: .seconds(1))
        #expect(await source.document == "1")
        source.pass(.seconds(19))
        #expect(await source.document == "1")
        source.pass(.seconds(1))
        #expect(await source.document == "2")
    }

    @Test func `is read again after a change, at once`() async {
        let source = CountedSource()
        #expect(await source.document == "1")
        await source.source.forget()
        #expect(await source.document == "2")
    }

    @Test func `is read once for all who ask while it is being read, and again for a change meanwhile`() async throws {
        let (latch, count) = (Latch(), Monitor(0))
        let source = DashboardSource {
            let number = count.update {
                $0 += 1; return $0
            }
            if number == 1 { try? await latch.wait() }
            return StreamEvent("\(number)")
        }
        async let first = source.current()
        try await latch.waitForArrivals()
        async let second = source.current()
        await source.forget()
        latch.open()
        #expect(await first.document == "2")
        #expect(await second.document == "2")
        #expect(count.state == 2)
    }
}

/// A source whose documents count the readings.
private struct CountedSource {
    private final class Time: Sendable {
        let now = Mutex(ContinuousClock.now)
        let count = Mutex(0)
    }

    private let time = Time()
    let source: DashboardSource

    init(cost: Duration = .zero) {
        let time = time
        source = DashboardSource(now: { time.now.withLock { $0 } }) {
            time.now.withLock { $0 += cost }
            return StreamEvent(
                String(
                    time.count.withLock {
                        $0 += 1; return $0
                    }
                )
            )
        }
    }

    var document: String { get async { await source.current().document } }

    func pass(_ duration: Duration) { time.now.withLock { $0 += duration } }
}
