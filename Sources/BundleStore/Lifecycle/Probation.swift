import Foundation

/// What is known of an active release that somebody has yet to confirm. A value type; safe to share between threads.
public struct Probation: Sendable, Hashable {
    /// The version.
    public let version: BundleVersion
    /// What pages of the release get, and confirm it with: 32 hexadecimal digits.
    package let nonce: String
    /// How often a server or an app has started with it.
    public let startCount: Int
    /// When a page of it was loaded first; nil when none was.
    public let loadedAt: Date?

    /// Whether it should have been confirmed by now. Not while no page of it was loaded.
    ///
    /// - Parameter terms: What the release's manifest asks for.
    func hasExpired(by terms: HealthTerms, at now: Date) -> Bool {
        loadedAt.map { now >= $0.addingTimeInterval(TimeInterval(terms.withinSeconds)) } ?? false
    }
}
