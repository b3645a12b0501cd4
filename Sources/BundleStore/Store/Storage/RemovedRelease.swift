/// A version that was removed to make room. A value type; safe to share between threads.
public struct RemovedRelease: Sendable, Hashable {
    /// Why it was removed.
    public enum Reason: String, Sendable {
        /// There were more earlier versions of the bundle than are to be kept.
        case keep
        /// There were more versions that had never been activated than are to be kept.
        case neverActivated
        /// The quota had no room for it any more.
        case quota
    }

    /// The bundle.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion
    /// Why it was removed.
    public let reason: Reason

    /// Makes one.
    public init(name: BundleName, version: BundleVersion, reason: Reason) {
        self.name = name
        self.version = version
        self.reason = reason
    }
}

extension RemovedRelease: CustomStringConvertible {
    /// What was removed and why, for a person.
    ///
    /// - Parameter limit: What says how many versions are kept; a program may name what sets it.
    public func description(limitedBy limit: String) -> String {
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
