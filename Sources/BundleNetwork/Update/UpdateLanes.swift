/// How many bundles are updated at once: few of one host, so that a host that hangs doesn't take all the places.
/// Thread-safe.
struct UpdateLanes: Sendable {
    /// How many bundles of one host, and how many of all.
    private static let (perHost, total) = (4, 16)

    private let hosts = KeyedSemaphores(permitCount: Self.perHost)
    private let all = FetchSemaphore(count: Self.total)
    private let installing = FetchSemaphore(count: 1)

    /// Waits for a place, and runs `body` there.
    ///
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled before.
    func run<Success>(host: String, _ body: () async throws -> Success) async throws -> Success {
        // In this order: who waits for a host's place takes none of all.
        let result = await hosts.run(host) { await Self.run(in: all, body) }
        guard let result else { throw CancellationError() }
        return try result.get()
    }

    /// Waits for its turn, and runs `body`: an installation has threads and memory of its own, so they take turns.
    ///
    /// - Throws: As ``run(host:_:)``.
    func install<Success>(_ body: () throws -> Success) async throws -> Success {
        guard let result = await Self.run(in: installing, body) else { throw CancellationError() }
        return try result.get()
    }

    private static func run<Success>(
        in semaphore: FetchSemaphore,
        _ body: () async throws -> Success
    ) async -> Result<Success, any Error>? {
        guard await semaphore.acquire() else { return nil }
        defer { semaphore.release() }
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
