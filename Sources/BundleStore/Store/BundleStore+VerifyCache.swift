import Dispatch
import Synchronization

extension BundleStore {
    /// How many bodies are read before it is looked whether to go on.
    private static let roundCount = 256

    /// Those of the kept responses, or of a bundle's, that aren't what was stored.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func damagedResponses(of name: BundleName?) throws -> [DamagedResponse] {
        let unreadable = try catalog.unreadableCachedResponses().filter { name == nil || $0.bundle == name }
        var damaged = unreadable.map { DamagedResponse(row: $0.id, of: $0.bundle) }
        let responses = try cachedResponses().filter { name == nil || $0.bundle == name }
        for start in stride(from: 0, to: responses.count, by: Self.roundCount) {
            try Task.checkCancellation()
            let round = Array(responses[start..<min(start + Self.roundCount, responses.count)])
            // What another process drops takes its file with it.
            damaged += try changed(of: round).filter { try catalog.holdsCachedResponse($0.id) }.map(
                DamagedResponse.init
            )
        }
        return damaged
    }

    private func changed(of responses: [CachedResponse]) -> [CachedResponse] {
        let changed = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: responses.count) { number in
            if !isIntact(responses[number]) { changed.withLock { $0.append(number) } }
        }
        return changed.withLock { $0 }.sorted().map { responses[$0] }
    }
}
