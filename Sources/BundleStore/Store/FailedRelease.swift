import Foundation

/// A release whose archive was fetched whole and can't be used. A value type; safe to share between threads.
package struct FailedRelease: Equatable, Sendable {
    /// The version that the feed gave it.
    package let version: BundleVersion
    /// The archive's SHA-256.
    package let digest: Digest
    /// Why it can't be used.
    package let reason: String
    /// When that was found.
    package let date: Date

    package init(version: BundleVersion, digest: Digest, reason: String, date: Date) {
        self.version = version
        self.digest = digest
        self.reason = reason
        self.date = date
    }
}
