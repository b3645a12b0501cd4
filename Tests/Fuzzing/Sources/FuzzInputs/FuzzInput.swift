/// The code that reads bytes from outside. Each fuzz target tries random bytes, and FuzzCorpusTests the seeds, with the
/// same call.
public enum FuzzInput: String, CaseIterable, Sendable {
    case archive, feed, head, index, manifest, metadata, patch, response, segment

    /// Passes `bytes` to the code that reads them, and uses the result as far as possible. A violated invariant ends
    /// the process.
    ///
    /// - Returns: Whether they were accepted.
    public func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .archive: ArchiveInput.isTaken(bytes)
        case .feed: FeedInput.isTaken(bytes)
        case .head: HeadInput.isTaken(bytes)
        case .index: IndexInput.isTaken(bytes)
        case .manifest: ManifestInput.isTaken(bytes)
        case .metadata: MetadataInput.isTaken(bytes)
        case .patch: PatchInput.isTaken(bytes)
        case .response: ResponseInput.isTaken(bytes)
        case .segment: SegmentInput.isTaken(bytes)
        }
    }
}
