import NIOCore

/// A request that waits for a place in the pool. It is resumed once, with the result that it was given.
struct PoolWaiter: Sendable {
    let number: UInt64
    private let continuation: CheckedContinuation<ConnectionPlace, any Error>
    private let timer: Scheduled<Void>
    private var result: Result<ConnectionPlace, any Error> = .failure(ConnectionProblem.shutDown)

    init(number: UInt64, continuation: CheckedContinuation<ConnectionPlace, any Error>, timer: Scheduled<Void>) {
        self.number = number
        self.continuation = continuation
        self.timer = timer
    }

    /// The waiter with a place as its result.
    func giving(_ place: ConnectionPlace) -> PoolWaiter { with(.success(place)) }

    /// The waiter with an error as its result.
    func failing(_ error: any Error) -> PoolWaiter { with(.failure(error)) }

    /// Ends the wait. Not under a lock.
    func resume() {
        timer.cancel()
        continuation.resume(with: result)
    }

    private func with(_ result: Result<ConnectionPlace, any Error>) -> PoolWaiter {
        var waiter = self
        waiter.result = result
        return waiter
    }
}
