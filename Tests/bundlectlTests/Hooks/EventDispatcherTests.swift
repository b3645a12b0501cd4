import BundleStore
import BundleTesting
import Foundation
import Synchronization
import Testing

@testable import bundlectl

@Suite("The dispatcher of events")
struct EventDispatcherTests {
    /// A hook that keeps what it is told, or waits, or fails.
    private final class Recorder: EventHook {
        let title = "--test"
        private let events = Mutex<[UpdateEvent]>([])
        private let work: @Sendable () async throws -> Void

        init(_ work: @escaping @Sendable () async throws -> Void = {}) {
            self.work = work
        }

        var details: [String] { events.withLock(\.self).map { $0.detail ?? "" } }

        func deliver(_ event: UpdateEvent) async throws {
            events.withLock { $0.append(event) }
            try await work()
        }
    }

    private func event(_ detail: String) throws -> UpdateEvent {
        UpdateEvent(.reported, BundleName("shop"), at: Date(timeIntervalSince1970: 0), detail: detail)
    }

    @Test("every hook is notified of all events in their order")
    func order() async throws {
        let hooks = [Recorder(), Recorder()]
        let dispatcher = EventDispatcher(hooks, clock: TestClock()) { Issue.record("\($0)") }
        for number in 1...100 { dispatcher.handle(try event("e\(number)")) }
        await dispatcher.finish(within: .seconds(1))
        for hook in hooks { #expect(hook.details == (1...100).map { "e\($0)" }) }
    }

    @Test("a hook that fails is notified of the next event, and others don't notice")
    func failure() async throws {
        let (failing, sound) = (Recorder { throw BundleError(.outputUnavailable, "no") }, Recorder())
        let warnings = Mutex<[String]>([])
        let dispatcher = EventDispatcher([failing, sound], clock: TestClock()) { text in
            warnings.withLock { $0.append(text) }
        }
        for detail in ["a", "b"] { dispatcher.handle(try event(detail)) }
        await dispatcher.finish(within: .seconds(1))
        #expect(failing.details == ["a", "b"])
        #expect(sound.details == ["a", "b"])
        #expect(warnings.withLock(\.self) == ["--test: no", "--test: no"])
    }

    @Test("a hook that hangs is ended when the time is up, and what doesn't fit into the queue is dropped and told")
    func hanging() async throws {
        let clock = TestClock()
        let hook = Recorder { try await ContinuousClock().sleep(for: .seconds(3_600)) }
        let warnings = Mutex<[String]>([])
        let dispatcher = EventDispatcher([hook], clock: clock) { text in warnings.withLock { $0.append(text) } }
        for number in 1...300 { dispatcher.handle(try event("e\(number)")) }
        #expect(warnings.withLock(\.count) >= 43)
        try await eventually("the hook's first event") { !hook.details.isEmpty }
        async let end: Void = dispatcher.finish(within: .seconds(30))
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(30))
        await end
        #expect(hook.details.first == "e1")
        #expect(warnings.withLock(\.self).contains { $0.contains("took too long") })
    }
}
