import BundleStore
import Foundation
import HTTPCore

/// How much updates do at once. The network is shared out by the host that is asked, so that one that hangs delays only what
/// asks it; processor and memory by the program. Thread-safe.
struct UpdatePermits: Sendable {
    /// How many feeds and releases are fetched from one host.
    private static let perHost = 4
    /// How many bundles are under way: each has a lock, and so an open file.
    private static let bundleCount = 256

    private let hosts = KeyedSemaphores(permitCount: Self.perHost)
    private let bundles = AsyncSemaphore(count: Self.bundleCount)
    private let installing = AsyncSemaphore(count: 1)

    /// Waits until a bundle may be updated, and runs `body`.
    ///
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled before.
    func update<Success>(_ body: () async throws -> Success) async throws -> Success {
        try await Self.result(Self.run(in: bundles, body))
    }

    /// Waits until the host of a URL may be asked, and runs `body`.
    ///
    /// - Throws: As ``update(_:)``.
    func fetch<Success>(_ url: URL, _ body: () async throws -> Success) async throws -> Success {
        let host = (try? HTTPURL(url.absoluteString))?.host ?? ""
        return try await Self.result(hosts.run(host) { await Self.outcome(of: body) })
    }

    /// Waits for its turn, and runs `body`: an installation has threads and memory of its own, so they take turns, and so
    /// does what takes much memory before one.
    ///
    /// - Throws: As ``update(_:)``.
    func install<Success>(_ body: () throws -> Success) async throws -> Success {
        try await Self.result(Self.run(in: installing, body))
    }

    private static func run<Success>(
        in semaphore: AsyncSemaphore,
        _ body: () async throws -> Success
    ) async -> Result<Success, any Error>? {
        guard await semaphore.acquire() else { return nil }
        defer { semaphore.release() }
        return await outcome(of: body)
    }

    private static func outcome<Success>(
        of body: () async throws -> Success
    ) async -> Result<Success, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private static func result<Success>(_ result: Result<Success, any Error>?) throws -> Success {
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}
