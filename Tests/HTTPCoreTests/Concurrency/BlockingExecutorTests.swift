import BundleTesting
import Dispatch
import Foundation
import HTTPCore
import Testing

@Suite("BlockingExecutor")
struct BlockingExecutorTests {
    @Test("work that blocks more threads than there are cores delays nothing else", .timeLimit(.minutes(5)))
    func blocked() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount + 4
        let semaphore = DispatchSemaphore(value: 0)
        let arrivals = Monitor(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<count {
                group.addTask {
                    await withTaskExecutorPreference(BlockingExecutor()) {
                        arrivals.update { $0 += 1 }
                        Self.wait(at: semaphore)
                        return index
                    }
                }
            }
            // All of them wait for the semaphore, and this task, which signals it, still runs.
            try await arrivals.wait(while: { $0 < count })
            #expect(await Task.detached { 1 + 1 }.value == 2)
            for _ in 0..<count { semaphore.signal() }
            #expect(try await group.reduce(0, +) == count * (count - 1) / 2)
        }
    }

    private static func wait(at semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test("an error thrown by the work reaches the caller")
    func failure() async {
        await #expect(throws: CancellationError.self) {
            try await withTaskExecutorPreference(BlockingExecutor()) { throw CancellationError() }
        }
    }
}
