/// What is done with the batches of a ``BatchPipeline``.
package protocol PipelineStages: AnyObject, SendableMetatype {
    associatedtype Batch: PipelineBatch

    /// Makes an empty batch.
    func makeBatch() -> Batch
    /// Fills an empty batch, in order, on one thread at a time. Returns false when there is nothing more.
    func collect(_ batch: Batch) -> Bool
    /// Works on one batch while other threads work on others.
    func decode(_ batch: Batch)
    /// Takes a batch, in the order collected, on one thread at a time. Returns how far that is, for progress.
    func consume(_ batch: Batch) throws -> Int64
}

/// A part of the data of a ``BatchPipeline``, which is reused.
package protocol PipelineBatch: AnyObject, SendableMetatype {
    /// The number of bytes that it holds.
    var byteCount: Int { get }
    /// Empties it for reuse.
    func removeAll()
}
