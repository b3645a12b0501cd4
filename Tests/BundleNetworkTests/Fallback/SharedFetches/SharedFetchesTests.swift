import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Synchronization
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("The time limits of fetches", .timeLimit(.minutes(5)))
struct SharedFetchesTests {
    /// A fetch that goes on until it is cancelled.
    private func begin(_ table: SharedFetches, _ ended: Latch) -> FetchWaiter {
        let waiter = table.join("shop@1 https://m.example.com/", mayJoin: true)
        let sharedFetch = waiter.sharedFetch
        sharedFetch.start {
            let never = Latch()
            try? await never.wait()
            table.remove("shop@1 https://m.example.com/", sharedFetch)
            ended.open()
        } onOutcome: { _ in
        }
        return waiter
    }

    @Test("a fetch without a client ends after two minutes, one with a client doesn't")
    func unattended() async throws {
        let clock = TestClock()
        let table = SharedFetches(FetchLimits(), clock: clock)
        let ended = Latch()
        var waiter: FetchWaiter? = begin(table, ended)
        let sharedFetch = try #require(waiter?.sharedFetch)
        sharedFetch.goOn { true }
        try await clock.step(by: .seconds(3_600))
        #expect(sharedFetch.age == .seconds(3_600))
        #expect(table.waiterCount == 1)
        waiter = nil
        try await clock.step(by: .seconds(120))
        #expect(sharedFetch.unattendedTime == .seconds(120))
        clock.advance(by: .seconds(1))
        try await ended.wait()
    }

    @Test("a fetch ends after a day, also when clients wait for it")
    func total() async throws {
        let clock = TestClock()
        let table = SharedFetches(FetchLimits(), clock: clock)
        let ended = Latch()
        let waiter = begin(table, ended)
        try await clock.step(by: .seconds(24 * 3_600))
        #expect(waiter.sharedFetch.age == .seconds(24 * 3_600))
        #expect(table.waiterCount == 1)
        clock.advance(by: .seconds(1))
        try await ended.wait()
        withExtendedLifetime(waiter) {}
    }

    @Test("a request waits no longer than its limit, also when that is over before it waits")
    func limits() async {
        for _ in 0..<2_000 {
            let waiter = SharedFetch.begun(elapsed: { .zero })
            guard await waiter.outcome(within: .zero, ContinuousClock()) == nil else {
                Issue.record("a fetch that hasn't begun has an outcome")
                return
            }
        }
    }

    @Test("a request of a task that is cancelled before it waits doesn't wait")
    func cancelled() async {
        let waiter = SharedFetch.begun(elapsed: { .zero })
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await waiter.outcome(within: nil, ContinuousClock()) == nil
        }
        #expect(await task.value)
    }

    @Test(
        "no request joins a fetch that has ended because nobody waited for it, and one that has joined before keeps it"
    )
    func abandoned() {
        let table = SharedFetches(FetchLimits(), clock: TestClock())
        var waiter: FetchWaiter? = table.join("x", mayJoin: true)
        let abandoned = waiter?.sharedFetch
        // A request joins while it is being decided whether the fetch goes on.
        let joining = Mutex([FetchWaiter?.none])
        abandoned?.goOn {
            if let place = joining.withLock({ $0.popLast() }), place == nil {
                joining.withLock { $0 = [table.join("x", mayJoin: true)] }
            }
            return false
        }
        waiter = nil
        var joined = joining.withLock { $0.popLast() } ?? nil
        #expect(joined?.sharedFetch === abandoned && joined?.isFirst == false)
        #expect(abandoned?.isClosed == false)
        joined = nil
        #expect(abandoned?.isClosed == true)
        #expect(table.join("x", mayJoin: true).isFirst)
    }

    @Test("a body that passes through breaks off after a day")
    func passing() async throws {
        try await withTemporaryDirectory { directory in
            let (clock, network) = (TestClock(), ScriptedTransport())
            let store = try BundleStore(at: directory.path, creating: true, now: clock.read)
            try store.install(.sample(), files: ["index.html": ""])
            let responder = LayeredResponder(
                LiveResolver(store),
                store: store,
                transport: network,
                policy: CachePolicy(isShared: false),
                clock: clock,
                now: clock.read
            )
            network.response("https://m.example.com/shop/x") { _ in
                let chunks = AsyncStream<[UInt8]> { continuation in
                    continuation.yield([1])
                    continuation.yield([2])
                }
                return OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(chunks))
            }
            let request = HTTPRequest(method: .post, scheme: nil, authority: "m.example.com", path: "/shop/x")
            guard case .streaming(_, let body, _) = await responder.respond(to: request) else {
                throw CancellationError()
            }
            var chunks = body.makeAsyncIterator()
            #expect(try await chunks.next() == [1])
            clock.advance(by: .seconds(24 * 3_600))
            await #expect(throws: BundleError.self) { try await chunks.next() }
        }
    }
}
