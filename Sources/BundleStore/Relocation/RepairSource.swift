/// A place where the right bytes of damaged contents may be found.
public protocol RepairSource: Sendable {
    /// Offers to `repair` what it has of the contents that are still missing. What it offers is compared with the digests,
    /// so a source needn't be trusted.
    ///
    /// - Throws: When it can't be read; what was taken from it until then is kept. `CancellationError` when the task is
    ///   cancelled.
    func supply(_ repair: StoreRepair) async throws
}
