import Synchronization

/// What is known of the bodies of kept responses since the store was opened. Thread-safe.
final class CachedBodyChecks: Sendable {
    /// How many are remembered; then it begins anew.
    private let maximumCount: Int
    private let verdicts = Mutex<[FileIdentifier: ContentChecks.Verdict]>([:])

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Nil before the first read.
    func verdict(of body: FileIdentifier) -> ContentChecks.Verdict? { verdicts.withLock { $0[body] } }

    func record(_ verdict: ContentChecks.Verdict, of body: FileIdentifier) {
        verdicts.withLock { verdicts in
            if verdicts.count >= maximumCount { verdicts.removeAll() }
            verdicts[body] = verdict
        }
    }
}
