/// A version that was removed to make room. A value type; safe to share between threads.
public struct RemovedRelease: Sendable, Hashable {
    /// Why it was removed.
    public enum Reason: String, Sendable {
        /// The bundle had more retained versions than are kept.
        case keep
        /// The bundle had more versions that were never activated than are kept.
        case neverActivated
        /// The quota had no room for it.
        case quota
    }

    /// The bundle.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion
    /// Why it was removed.
    public let reason: Reason

    /// Creates a value.
    package init(name: BundleName, version: BundleVersion, reason: Reason) {
        self.name = name
        self.version = version
        self.reason = reason
    }
}

extension RemovedRelease: CustomStringConvertible {
    /// What was removed and why, for a person.
    ///
    /// - Parameter limit: What says how many versions are kept; a program may name what sets it.
    package func description(limitedBy limit: String) -> String {
        let explanation =
            switch reason {
            case .keep: "more earlier versions than \(limit) says"
            case .neverActivated: "never activated, and more such versions than \(limit) says"
            case .quota: "the quota had no room for it"
            }
        return "removed \(name)@\(version): \(explanation)"
    }

    /// What was removed and why, for a person.
    public var description: String { description(limitedBy: "the limit") }
}
