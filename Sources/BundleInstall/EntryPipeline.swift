import BundleArchive
import BundleStore

/// Takes entries from the collector to the consumer, in rounds. In each round three things happen side by side: the batches
/// of this round are decoded and hashed, those of the round before go to the store, and those of the next are collected.
struct EntryPipeline {
    private static let chunkByteCount = 1 << 18

    private let collector: EntryCollector
    private let consumer: EntryConsumer

    init(_ collector: EntryCollector, _ consumer: EntryConsumer) {
        self.collector = collector
        self.consumer = consumer
    }

    /// Runs to the archive's end.
    ///
    /// - Parameter progress: Called after each round with the bytes of the archive read so far.
    /// - Throws: What is wrong with the first entry, in the archive's order, that something is wrong with;
    ///   `CancellationError` when the task is cancelled.
    func run(_ progress: (Int64) -> Void) throws {
        repeat {
            try runRounds(progress)
            if let failure = collector.failure { throw failure }
            if let file = collector.largeFile { try pass(file, progress) }
        } while !collector.hasEnded
    }

    /// Goes on until the collector gives nothing and everything has been consumed.
    private func runRounds(_ progress: (Int64) -> Void) throws {
        var collected = collector.collect()
        var decoded: [ContentBatch] = []
        while !collected.isEmpty || !decoded.isEmpty {
            try Task.checkCancellation()
            let round = PipelineRound(collector, consumer, collected: collected, decoded: decoded)
            let next = try round.run()
            collector.reuse(decoded)
            (decoded, collected) = (collected, next)
            progress(collector.reader.bytesConsumed)
        }
    }

    private func pass(_ file: EntryCollector.LargeFile, _ progress: (Int64) -> Void) throws {
        let reader = collector.reader
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkByteCount, alignment: 16)
        defer { buffer.deallocate() }
        try consumer.consume(file.path) { body in
            while case let count = try reader.read(into: buffer), count > 0 {
                try Task.checkCancellation()
                try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                progress(reader.bytesConsumed)
            }
        }
        collector.passLargeFile()
    }
}
