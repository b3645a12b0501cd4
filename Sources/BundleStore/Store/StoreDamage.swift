/// Damage found in the store.
public struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The bundle, or nil when it isn't known or the damage concerns the whole store.
    public let bundle: BundleName?
    /// The version; nil in the same cases.
    public let version: BundleVersion?
    /// The file inside the bundle, or nil when the damage doesn't concern a single file.
    public let path: String?
    /// What is wrong and what to do.
    public let problem: String
    /// Whether nothing is damaged: a newer program has written it, and only such a program may change it.
    public let isNewer: Bool
    /// Whether the row of an active release can't be read.
    var isOfActiveRow = false
    /// What is wrong and what to do, separately; nil when they are only known combined.
    private let parts: Parts?

    private struct Parts: Hashable {
        let cause: String
        let remedy: Remedy
    }

    init(bundle: BundleName?, version: BundleVersion?, path: String?, problem: String, isNewer: Bool = false) {
        self.init(bundle, version, path, problem, nil, isNewer)
    }

    /// - Parameter cause: What is wrong.
    init(
        bundle: BundleName?,
        version: BundleVersion?,
        path: String? = nil,
        cause: String,
        _ remedy: Remedy,
        isNewer: Bool = false
    ) {
        self.init(bundle, version, path, "\(cause); \(remedy.advice)", Parts(cause: cause, remedy: remedy), isNewer)
    }

    private init(
        _ bundle: BundleName?,
        _ version: BundleVersion?,
        _ path: String?,
        _ problem: String,
        _ parts: Parts?,
        _ isNewer: Bool
    ) {
        self.bundle = bundle
        self.version = version
        self.path = path
        self.problem = problem
        self.parts = parts
        self.isNewer = isNewer
    }

    /// The same damage after a repair was tried: repairing isn't advised again.
    public var afterRepair: StoreDamage {
        guard let parts else { return self }
        let problem = "\(parts.cause); \(parts.remedy.adviceAfterRepair)"
        var damage = StoreDamage(bundle, version, path, problem, parts, isNewer)
        damage.isOfActiveRow = isOfActiveRow
        return damage
    }

    /// One line with the place and the problem.
    public var description: String {
        let release = bundle.map { "\($0)\(version.map { "@\($0)" } ?? "")" } ?? "catalog"
        return "\(release)\(path.map { " " + Printable.text($0) } ?? ""): \(problem)"
    }
}

extension StoreDamage {
    /// Damage that concerns a release as a whole.
    init(_ name: BundleName, _ version: BundleVersion, _ problem: String) {
        self.init(bundle: name, version: version, path: nil, problem: problem)
    }

    /// A release's index isn't the one that was written.
    init(indexOf name: BundleName, _ version: BundleVersion) {
        self.init(bundle: name, version: version, cause: "its index is damaged", .reinstallation)
    }

    /// A release row of the catalog that can't be read.
    ///
    /// - Parameters:
    ///   - name: The bundle that the row names, if any.
    ///   - version: The version that the row names, if any.
    init(row: Int64, _ name: BundleName?, _ version: BundleVersion?) {
        guard name == nil || version == nil else {
            let cause = "row \(row) of the catalog's releases isn't what was written"
            self.init(bundle: name, version: version, cause: cause, .reinstallation)
            return
        }
        let problem =
            "row \(row) of the catalog's releases doesn't say which one it is; “bundlectl verify --repair” finds that out, "
            + "or drops it"
        self.init(bundle: name, version: version, path: nil, problem: problem)
    }
}

/// Called when damage is found. Called on the thread that reads the file, possibly on several at once, and before the
/// response is sent: it should return quickly.
public typealias DamageHandler = @Sendable (StoreDamage) -> Void
