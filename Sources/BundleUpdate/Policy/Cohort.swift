import BundleStore

/// The place of an installation among all that have a bundle, for releases that are offered to a share of them.
///
/// It is the same in each run and for each release, and evenly distributed. So a raised share only adds installations,
/// and those that are first for one bundle aren't for another. A value type; safe to share between threads.
public struct Cohort: Equatable, Sendable {
    /// From 0 up to, and not including, 100, in steps of less than a millionth.
    public let position: Double

    /// - Parameters:
    ///   - installation: What tells the installation from others.
    ///   - bundle: The bundle.
    package init(of installation: InstallationIdentifier, for bundle: BundleName) {
        let digest = Digest(of: Array("\(installation.string)\0\(bundle)".utf8))
        // 48 bits have an exact quotient below 1, and the product stays below 100.
        let bits = digest.withUnsafeBytes { $0.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(position: Double(bits) / Double(UInt64(1) << 48) * 100)
    }

    /// Takes a position as it is.
    package init(position: Double) {
        self.position = position
    }

    /// Whether a release that is offered to this share is offered to the installation.
    public func isIncluded(in rollout: Rollout) -> Bool { position < rollout.percent }
}
