import BundleStore
import Foundation

/// Something of a bundle that is fetched. After a failure it waits for its time when a clock asks for it; a person who asks
/// gets it at once.
struct PacedFetch {
    let store: BundleStore
    /// The bundle.
    let name: BundleName
    let subject: FetchRetry.Subject
    /// Whether a clock asks.
    let isScheduled: Bool

    /// Runs `body`, and records what follows from its failure.
    ///
    /// - Parameters:
    ///   - postponement: The error to throw while it has to wait.
    ///   - pauses: The pauses that follow from an error; nil for none.
    /// - Throws: What `body` throws, and `postponement`.
    func run<Success>(
        postponement: (Date) -> UpdatePostponement,
        pauses: (BundleError) -> FetchBackoff.Pauses?,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let retry = try? store.retry(of: name, subject)
        if isScheduled, let retry, retry.nextAt > store.now() { throw postponement(retry.nextAt) }
        do {
            let result = try await body()
            if retry != nil { try? store.record(nil, of: name, subject) }
            return result
        } catch let error as BundleError {
            if let pauses = pauses(error) { record(retry, pauses, error) }
            throw error
        }
    }

    private func record(_ earlier: FetchRetry?, _ pauses: FetchBackoff.Pauses, _ error: BundleError) {
        let (head, now) = ((error.cause as? UnexpectedResponse)?.head, store.now())
        let next = FetchBackoff.retry(
            after: earlier,
            pauses,
            requested: head.flatMap { RetryAfter($0, now: now) }?.seconds,
            now: now,
            random: .random(in: 0..<1)
        )
        try? store.record(next, of: name, subject)
    }
}
