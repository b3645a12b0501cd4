import Foundation

/// What is known of an active release that somebody has yet to confirm. A value type; safe to share between threads.
public struct Probation: Sendable, Hashable {
    /// The version.
    public let version: BundleVersion
    /// What pages of the release get, and confirm it with: 32 hexadecimal digits.
    package let nonce: String
    /// In how many runs of a server or an app a page of it was loaded.
    public let startCount: Int
    /// When a page of it was loaded first; nil when none was.
    public let loadedAt: Date?
    /// How much time has passed since then in processes that have ended, and in those that run up to their last note of it.
    package let observed: Duration
}
