import Synchronization

/// A semaphore for each key, which exists as long as it is used. Thread-safe.
package final class KeyedSemaphores: Sendable {
    private struct Use {
        let semaphore: FetchSemaphore
        var count = 0
    }

    private let permitCount: Int
    private let uses = Mutex<[String: Use]>([:])

    /// - Parameter permitCount: The number of permits for each key, at least 1.
    package init(permitCount: Int) {
        self.permitCount = permitCount
    }

    /// Waits for a permit, and runs `body` with it.
    ///
    /// - Returns: Nil when the task is cancelled before.
    package func run<Result>(_ key: String, _ body: () async -> Result?) async -> Result? {
        let semaphore = begin(key)
        defer { end(key) }
        guard await semaphore.acquire() else { return nil }
        defer { semaphore.release() }
        return await body()
    }

    private func begin(_ key: String) -> FetchSemaphore {
        uses.withLock { uses in
            var use = uses[key] ?? Use(semaphore: FetchSemaphore(count: permitCount))
            use.count += 1
            uses[key] = use
            return use.semaphore
        }
    }

    private func end(_ key: String) {
        uses.withLock { uses in
            guard var use = uses[key] else { return }
            use.count -= 1
            uses[key] = use.count > 0 ? use : nil
        }
    }
}
