import Dispatch

/// One round of the pipeline: its parts run side by side, on as many threads as there are processors.
///
/// `@unchecked Sendable`: each part has objects of its own, which no other part touches, and ``run()`` returns when all have
/// ended.
final class PipelineRound: @unchecked Sendable {
    private let collector: EntryCollector
    private let consumer: EntryConsumer
    private let collected: [ContentBatch]
    private let decoded: [ContentBatch]
    private var next: [ContentBatch] = []
    private var consumed: Result<Void, any Error> = .success(())

    /// - Parameters:
    ///   - collected: What is decoded and hashed.
    ///   - decoded: What goes to the consumer.
    init(_ collector: EntryCollector, _ consumer: EntryConsumer, collected: [ContentBatch], decoded: [ContentBatch]) {
        self.collector = collector
        self.consumer = consumer
        self.collected = collected
        self.decoded = decoded
    }

    /// Runs the round once.
    ///
    /// - Returns: What was collected meanwhile.
    /// - Throws: Why the consumer stopped.
    func run() throws -> [ContentBatch] {
        // The two parts that can't be divided come first, so that nothing waits for them at the end.
        DispatchQueue.concurrentPerform(iterations: collected.count + 2) { [self] iteration in
            switch iteration {
            case 0: consumed = Result { try consumer.consume(decoded) }
            case 1: next = collector.collect()
            default: collected[iteration - 2].decode()
            }
        }
        try consumed.get()
        return next
    }
}
