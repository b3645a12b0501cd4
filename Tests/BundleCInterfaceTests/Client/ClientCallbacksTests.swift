import BundleServing
import BundleStore
import Synchronization
import Testing

@testable import BundleCInterface

@Suite("The callbacks of a client in C")
struct ClientCallbacksTests {
    @Test("closing cancels all work, also what tells how only later, and none begins any more")
    func closing() throws {
        let (callbacks, count) = (ClientCallbacks(), CallCount())
        let (first, second) = (try callbacks.begin(), try callbacks.begin())
        first.onClose(count.add)
        callbacks.close()
        #expect(count.value == 1)
        second.onClose(count.add)
        #expect(count.value == 2)
        #expect(throws: BundleError.self) { try callbacks.begin() }
        first.end()
        second.end()
        callbacks.waitForEnd()
    }

    @Test("a callback that closes the client doesn't wait for itself, nor for the callback that waits for it")
    func inside() throws {
        let callbacks = ClientCallbacks()
        let outer = try callbacks.begin()
        let awaited = outer.call { try? callbacks.begin(isAwaited: true) }
        let inner = try #require(awaited)
        outer.call {
            inner.call {
                callbacks.close()
                callbacks.waitForEnd()
            }
            inner.end()
        }
        outer.end()
        callbacks.waitForEnd()
    }

    @Test("closing waits for the work of other threads", .timeLimit(.minutes(1)))
    func waiting() async throws {
        let (callbacks, hasEnded) = (ClientCallbacks(), CallCount())
        let work = try callbacks.begin()
        work.onClose {
            Task.detached {
                hasEnded.add()
                work.end()
            }
        }
        await withTaskExecutorPreference(BlockingExecutor()) {
            callbacks.close()
            callbacks.waitForEnd()
            #expect(hasEnded.value == 1)
        }
    }
}

/// Counts calls. Thread-safe.
final class CallCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
