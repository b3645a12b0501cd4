/// Decides which job comes next, and with which batch, for ``BatchPipeline``; has no threads of its own.
///
/// A batch is collected, decoded and consumed. At most one batch is collected at a time and at most one consumed, both
/// in the archive's order; any number are decoded.
struct PipelineSchedule<Batch: PipelineBatch> {
    enum Job {
        case collect
        case decode(Batch)
        case consume(Batch)
    }

    private enum Stage {
        case collected
        case decoding
        case decoded
    }

    /// The maximum number of bytes in all batches.
    private static var maximumByteCount: Int { 8 << 20 }
    /// The maximum number of batches.
    private let maximumBatchCount: Int

    /// In the archive's order, without the batch that is being consumed.
    private var batches: [(batch: Batch, stage: Stage)] = []
    private var isCollecting = false
    private var consumedByteCount: Int?
    private var hasEnded = false

    init(maximumBatchCount: Int) {
        self.maximumBatchCount = maximumBatchCount
    }

    /// Whether everything that was collected has been consumed, and no more entries follow.
    var isDone: Bool { hasEnded && !isBusy && batches.isEmpty }

    /// Whether a batch is being collected or consumed, so that there may soon be another job.
    private var isBusy: Bool { isCollecting || consumedByteCount != nil }

    /// Begins the next job; nil when there is none until another ends.
    mutating func begin() -> Job? {
        // The last stage has priority: it makes room for the others.
        if consumedByteCount == nil, let first = batches.first, first.stage == .decoded {
            batches.removeFirst()
            consumedByteCount = first.batch.byteCount
            return .consume(first.batch)
        }
        if let index = batches.firstIndex(where: { $0.stage == .collected }) {
            batches[index].stage = .decoding
            return .decode(batches[index].batch)
        }
        guard hasRoom else { return nil }
        isCollecting = true
        return .collect
    }

    /// Ends a `collect` job.
    ///
    /// - Parameter batch: The collected batch; nil when no more entries follow.
    mutating func endCollecting(_ batch: Batch?) {
        isCollecting = false
        if let batch { batches.append((batch, .collected)) } else { hasEnded = true }
    }

    mutating func endDecoding(_ batch: Batch) {
        guard let index = batches.firstIndex(where: { $0.batch === batch }) else { return }
        batches[index].stage = .decoded
    }

    mutating func endConsuming() { consumedByteCount = nil }

    private var hasRoom: Bool {
        guard !hasEnded, !isCollecting, batches.count < maximumBatchCount else { return false }
        return batches.reduce(consumedByteCount ?? 0) { $0 + $1.batch.byteCount } < Self.maximumByteCount
    }
}
