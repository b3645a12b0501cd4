import Dispatch
import Synchronization

extension BundleStore {
    /// The cached responses of a bundle, or all of them, whose bodies don't match their digests.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func damagedResponses(of name: BundleName?, pace: ReadingPace = .fast) throws -> [DamagedResponse] {
        cacheWriter.drain()
        let unreadable = try catalog.unreadableCachedResponses().filter { name == nil || $0.bundle == name }
        var damaged = unreadable.map { DamagedResponse(row: $0.id, of: $0.bundle) }
        var last: Int64? = .max
        while let start = last {
            try Task.checkCancellation()
            let (responses, next) = try catalog.cachedResponses(olderThan: start, limit: pace.roundBodyCount)
            last = next
            // A response that another process drops takes its file with it.
            damaged += try changed(of: responses.filter { name == nil || $0.bundle == name }, pace: pace)
                .filter { try catalog.holdsCachedResponse($0.id) }
                .map(DamagedResponse.init)
        }
        return damaged
    }

    private func changed(of responses: [CachedResponse], pace: ReadingPace) throws -> [CachedResponse] {
        let changed = Mutex<[Int]>([])
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(pace.workerCount, responses.count)) { _ in
            while case let number = next.add(1, ordering: .relaxed).oldValue, number < responses.count {
                // A body that wasn't read to its end, because the task was cancelled, doesn't count as changed.
                let isIntact = try? self.isIntact(responses[number], pace: pace)
                if isIntact == false { changed.withLock { $0.append(number) } }
            }
        }
        try Task.checkCancellation()
        return changed.withLock { $0 }.sorted().map { responses[$0] }
    }
}
