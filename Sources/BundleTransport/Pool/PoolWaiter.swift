import NIOCore

/// A request that waits for a place in the pool.
struct PoolWaiter: Sendable {
    let number: UInt64
    let key: ConnectionKey
    let continuation: CheckedContinuation<ConnectionPlace, any Error>
    let timer: Scheduled<Void>

    /// Ends the wait.
    func resume(with result: Result<ConnectionPlace, any Error>) {
        timer.cancel()
        continuation.resume(with: result)
    }
}
