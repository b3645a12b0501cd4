/// Something in the store that isn't what it should be.
public struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The bundle.
    public let bundle: BundleName
    /// The version.
    public let version: BundleVersion
    /// The file inside the bundle, or nil when the release as a whole is concerned.
    public let path: String?
    /// What is wrong and what to do.
    public let problem: String
    /// Whether nothing is broken: a newer program has written it, and only such a one may change it.
    public let isNewer: Bool

    init(bundle: BundleName, version: BundleVersion, path: String?, problem: String, isNewer: Bool = false) {
        self.bundle = bundle
        self.version = version
        self.path = path
        self.problem = problem
        self.isNewer = isNewer
    }

    /// One line that names the place and the problem.
    public var description: String {
        "\(bundle)@\(version)\(path.map { " " + Printable.text($0) } ?? ""): \(problem)"
    }
}

/// Is told of damage when it is found. Called on whatever thread reads the file, possibly several at once, and in the way of
/// the answer: it should be quick.
public typealias DamageHandler = @Sendable (StoreDamage) -> Void
