import BundleTesting
import Synchronization
import Testing

@testable import HTTPCore

@Suite("The permits for requests to origins", .timeLimit(.minutes(5)))
struct AsyncSemaphoreTests {
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test("go to as many callers at once as there are, and then to the others in order of arrival")
    func order() async throws {
        let semaphore = AsyncSemaphore(count: 2)
        #expect(await semaphore.acquire())
        #expect(await semaphore.acquire())
        let served = Order()
        var waiters: [Task<Void, Never>] = []
        for number in 0..<3 {
            let waiter = Task {
                guard await semaphore.acquire() else { return }
                served.numbers.withLock { $0.append(number) }
                semaphore.release()
            }
            waiters.append(waiter)
            try await eventually { semaphore.waitingCount > number }
        }
        #expect(served.numbers.withLock { $0 } == [])
        semaphore.release()
        for waiter in waiters { await waiter.value }
        #expect(served.numbers.withLock { $0 } == [0, 1, 2])
        #expect(semaphore.waitingCount == 0)
    }

    @Test("don't go to a caller that was cancelled while it waited, and aren't lost by that")
    func cancellation() async throws {
        let semaphore = AsyncSemaphore(count: 1)
        #expect(await semaphore.acquire())
        let impatient = Task { await semaphore.acquire() }
        try await eventually { semaphore.waitingCount >= 1 }
        let patient = Task { await semaphore.acquire() }
        try await eventually { semaphore.waitingCount >= 2 }
        impatient.cancel()
        #expect(await !impatient.value)
        semaphore.release()
        #expect(await patient.value)
        semaphore.release()
        #expect(await semaphore.acquire())
    }

    @Test("don't go to a caller that was cancelled before")
    func cancelledBefore() async throws {
        let semaphore = AsyncSemaphore(count: 1)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await semaphore.acquire()
        }
        late.cancel()
        #expect(await !late.value)
        #expect(await semaphore.acquire())
    }
}
