import BundleArchive
import BundleStore

/// Moves entries from the collector to the consumer: batches of entries are collected, decoded and hashed, and written to the
/// store.
final class EntryPipeline: PipelineStages {
    private let collector: EntryCollector
    private let consumer: EntryConsumer

    init(_ collector: EntryCollector, _ consumer: EntryConsumer) {
        self.collector = collector
        self.consumer = consumer
    }

    /// Runs once, to the archive's end.
    ///
    /// - Parameter progress: Called now and then, on the calling thread, with the bytes of the archive read so far.
    /// - Throws: The error of the first faulty entry in the archive's order; `CancellationError` when the task is
    ///   cancelled.
    func run(_ progress: (Int64) -> Void) throws {
        try BatchPipeline(self).run(progress)
        if let failure = collector.failure { throw failure }
        progress(collector.reader.archiveByteCount)
        try Task.checkCancellation()
    }

    func makeBatch() -> ContentBatch { ContentBatch() }

    func collect(_ batch: ContentBatch) -> Bool { collector.fill(batch) }

    func decode(_ batch: ContentBatch) { batch.decode() }

    func consume(_ batch: ContentBatch) throws -> Int64 {
        try consumer.consume(batch)
        return batch.archivePosition
    }
}
