import Synchronization

/// The results of checking the bodies of cached responses since the store was opened. Thread-safe.
final class CachedBodyChecks: Sendable {
    /// How many results are remembered; then the table is cleared.
    private let maximumCount: Int
    private let verdicts = Mutex<[FileIdentifier: (ContentChecks.Verdict, MappedFile.Stamp?)]>([:])

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Nil before the first read, and when the file was intact but has changed since.
    ///
    /// - Parameter stamp: The file's current stamp.
    func verdict(of body: FileIdentifier, _ stamp: MappedFile.Stamp?) -> ContentChecks.Verdict? {
        guard let (verdict, known) = verdicts.withLock({ $0[body] }) else { return nil }
        return verdict == .intact && known != stamp ? nil : verdict
    }

    func record(_ verdict: ContentChecks.Verdict, of body: FileIdentifier, _ stamp: MappedFile.Stamp?) {
        verdicts.withLock { verdicts in
            if verdicts.count >= maximumCount { verdicts.removeAll() }
            verdicts[body] = (verdict, stamp)
        }
    }
}
