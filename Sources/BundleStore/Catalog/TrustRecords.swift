import Foundation

/// By which root a bundle's feed is trusted. A value type; safe to share between threads.
package struct TrustAnchor: Hashable, Sendable {
    /// SHA-256 of the root that was trusted first.
    package let digest: Digest
    /// Whether it was the first one that was seen, and nobody has given it.
    package let isPinned: Bool
    /// Since when it is trusted.
    package let date: Date

    package init(_ digest: Digest, isPinned: Bool, since date: Date) {
        (self.digest, self.isPinned, self.date) = (digest, isPinned, date)
    }
}

/// By what the signatures on feeds expire. A value type; safe to share between threads.
public enum TrustClock: String, CaseIterable, Sendable, Encodable {
    /// By this machine's clock, or what is known to be past if that is later.
    case machine
    /// By what is known to be past alone, on a device without a clock: a server that holds news back for ever isn't noticed.
    case absent = "none"
}

/// A document that is trusted of a bundle's feed, as it was received. A value type; safe to share between threads.
package struct TrustedDocument: Equatable, Sendable {
    /// The name of the one that says who may sign the others.
    package static let root = "root.json"
    /// The names of those whose versions never go down while the same root is trusted.
    static let ordered = ["timestamp.json", "snapshot.json"]
    /// The names that aren't those of delegated roles.
    static let undelegated = [root, "targets.json"] + ordered

    /// Its role, as a file's name without a version: `root.json`.
    package let name: String
    /// Its version, 1 or more.
    package let version: Int64
    /// Its bytes.
    package let content: [UInt8]

    package init(_ name: String, version: Int64, _ content: [UInt8]) {
        (self.name, self.version, self.content) = (name, version, content)
    }
}
