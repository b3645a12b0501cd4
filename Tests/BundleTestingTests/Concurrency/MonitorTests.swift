import BundleTesting
import Foundation
import Testing

@Suite("Monitor, Gate and TestClock")
struct MonitorTests {
    @Test("a condition that holds already is met at once")
    func immediate() async throws {
        #expect(try await Monitor(3).wait { $0 > 2 ? "big" : nil } == "big")
    }

    @Test("every waiter is woken by the change that it waits for")
    func waiters() async throws {
        let counter = Monitor(0)
        let met = try await withThrowingTaskGroup(of: Int.self) { group in
            for goal in 1...100 { group.addTask { try await counter.wait { $0 >= goal ? goal : nil } } }
            for _ in 1...100 { counter.update { $0 += 1 } }
            return try await group.reduce(0, +)
        }
        #expect(met == 5_050)
    }

    @Test("a cancelled waiter throws, wherever the cancellation meets it", arguments: 0..<50)
    func cancellation(_ round: Int) async {
        let monitor = Monitor(0)
        let task = Task { try await monitor.wait { $0 > 0 ? true : nil } }
        if round.isMultiple(of: 2) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a gate lets nobody through before it is open, and everybody after")
    func gate() async throws {
        let gate = Gate()
        let passed = Monitor(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await gate.pass()
                    passed.update { $0 += 1 }
                }
            }
            try await gate.waitForArrivals(3)
            #expect(passed.state == 0)
            gate.open()
            try await group.waitForAll()
        }
        #expect(passed.state == 3)
        try await gate.pass()
    }

    @Test("a manual clock moves only when it is told to")
    func clock() {
        let clock = TestClock(Date(timeIntervalSince1970: 100))
        #expect(clock.read() == Date(timeIntervalSince1970: 100))
        clock.advance(by: .seconds(1.5))
        #expect(clock.read() == Date(timeIntervalSince1970: 101.5))
        clock.date = Date(timeIntervalSince1970: 50)
        #expect(clock.read() == Date(timeIntervalSince1970: 50))
    }
}
