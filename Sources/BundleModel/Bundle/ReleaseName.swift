/// One version of a bundle, `shop@1.4.0`. A value type; safe to share between threads.
public struct ReleaseName: Hashable, Sendable, CustomStringConvertible {
    /// The bundle's name.
    public let name: BundleName
    /// The version.
    public let version: BundleVersion

    /// Names a version of a bundle.
    public init(_ name: BundleName, _ version: BundleVersion) {
        (self.name, self.version) = (name, version)
    }

    /// As commands and logs write it: `shop@1.4.0`.
    public var description: String { "\(name)@\(version)" }
}
