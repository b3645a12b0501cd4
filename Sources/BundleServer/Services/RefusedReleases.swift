import BundleStore

/// The latest archive of each feed that was fetched and couldn't be used: the same archive isn't fetched again at each
/// check, but after increasing pauses. Another archive is fetched immediately. A value type.
struct RefusedReleases {
    /// The pause after the first refusal of an archive; it doubles with each further one.
    static let firstPause: Duration = .seconds(3_600)
    static let longestPause: Duration = .seconds(24 * 3_600)

    /// An archive isn't fetched yet. Its description is the reason for the refusal, which is still why there is no
    /// update.
    struct Postponement: Error, CustomStringConvertible {
        let description: String
    }

    private struct Refusal {
        let digest: Digest
        let reason: String
        var backoff: Backoff
    }

    private var refusals: [BundleName: Refusal] = [:]

    /// Throws when the archive with this digest isn't to be fetched yet.
    func check(_ digest: Digest, for name: BundleName, at now: Duration) throws(Postponement) {
        guard let refusal = refusals[name], refusal.digest == digest, !refusal.backoff.isDue(at: now) else { return }
        throw Postponement(description: refusal.reason)
    }

    /// Records that an archive was refused.
    ///
    /// - Returns: How long it isn't fetched again.
    mutating func add(_ digest: Digest, for name: BundleName, _ reason: String, at now: Duration) -> Duration {
        let earlier = refusals[name].flatMap { $0.digest == digest ? $0.backoff : nil }
        var backoff = earlier ?? Backoff(first: Self.firstPause, longest: Self.longestPause)
        backoff.failed(at: now)
        refusals[name] = Refusal(digest: digest, reason: reason, backoff: backoff)
        return backoff.pause
    }
}
