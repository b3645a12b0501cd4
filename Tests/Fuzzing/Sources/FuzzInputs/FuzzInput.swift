/// What takes bytes from outside. Each fuzz target tries random ones, and FuzzCorpusTests the seeds, through the same call.
public enum FuzzInput: String, CaseIterable, Sendable {
    case archive, feed, head, index, manifest, response, segment

    /// Gives `bytes` to what takes them, and follows what comes of it as far as it goes. What must never be ends the process.
    ///
    /// - Returns: Whether they were taken, and not refused.
    public func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .archive: ArchiveInput.isTaken(bytes)
        case .feed: FeedInput.isTaken(bytes)
        case .head: HeadInput.isTaken(bytes)
        case .index: IndexInput.isTaken(bytes)
        case .manifest: ManifestInput.isTaken(bytes)
        case .response: ResponseInput.isTaken(bytes)
        case .segment: SegmentInput.isTaken(bytes)
        }
    }
}
