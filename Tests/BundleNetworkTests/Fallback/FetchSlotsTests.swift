import Synchronization
import Testing

@testable import BundleNetwork

@Suite("Slots for requests to origins", .timeLimit(.minutes(1)))
struct FetchSlotsTests {
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test("so many enter at once, and the others in the order in which they came")
    func order() async {
        let slots = FetchSlots(count: 2)
        #expect(await slots.enter())
        #expect(await slots.enter())
        let entered = Order()
        var waiters: [Task<Void, Never>] = []
        for number in 0..<3 {
            let waiter = Task {
                guard await slots.enter() else { return }
                entered.numbers.withLock { $0.append(number) }
                slots.leave()
            }
            waiters.append(waiter)
            while slots.waitingCount <= number { await Task.yield() }
        }
        #expect(entered.numbers.withLock { $0 } == [])
        slots.leave()
        for waiter in waiters { await waiter.value }
        #expect(entered.numbers.withLock { $0 } == [0, 1, 2])
        #expect(slots.waitingCount == 0)
    }

    @Test("who gives up while waiting has none, and takes none from the others")
    func cancellation() async {
        let slots = FetchSlots(count: 1)
        #expect(await slots.enter())
        let impatient = Task { await slots.enter() }
        while slots.waitingCount < 1 { await Task.yield() }
        let patient = Task { await slots.enter() }
        while slots.waitingCount < 2 { await Task.yield() }
        impatient.cancel()
        #expect(await !impatient.value)
        slots.leave()
        #expect(await patient.value)
        slots.leave()
        #expect(await slots.enter())
    }

    @Test("who has given up before doesn't enter")
    func cancelledBefore() async {
        let slots = FetchSlots(count: 1)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await slots.enter()
        }
        late.cancel()
        #expect(await !late.value)
        #expect(await slots.enter())
    }
}
