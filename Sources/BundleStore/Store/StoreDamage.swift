/// Something in the store that isn't what it should be.
public struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The bundle, or nil when that isn't known, or the store as a whole is concerned.
    public let bundle: BundleName?
    /// The version; nil likewise.
    public let version: BundleVersion?
    /// The file inside the bundle, or nil when it isn't one that is concerned.
    public let path: String?
    /// What is wrong and what to do.
    public let problem: String
    /// Whether nothing is broken: a newer program has written it, and only such a one may change it.
    public let isNewer: Bool
    /// Whether it is the row of an active release that can't be read.
    var isOfActiveRow = false
    /// What is wrong and what to do, apart; nil where they are only known together.
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

    /// The same after a repair was tried: it doesn't advise to repair again.
    public var afterRepair: StoreDamage {
        guard let parts else { return self }
        let problem = "\(parts.cause); \(parts.remedy.adviceAfterRepair)"
        var damage = StoreDamage(bundle, version, path, problem, parts, isNewer)
        damage.isOfActiveRow = isOfActiveRow
        return damage
    }

    /// One line that names the place and the problem.
    public var description: String {
        let release = bundle.map { "\($0)\(version.map { "@\($0)" } ?? "")" } ?? "catalog"
        return "\(release)\(path.map { " " + Printable.text($0) } ?? ""): \(problem)"
    }
}

extension StoreDamage {
    /// What concerns a release as a whole.
    init(_ name: BundleName, _ version: BundleVersion, _ problem: String) {
        self.init(bundle: name, version: version, path: nil, problem: problem)
    }

    /// That a release's index isn't what was written.
    init(indexOf name: BundleName, _ version: BundleVersion) {
        self.init(bundle: name, version: version, cause: "its index is damaged", .reinstallation)
    }

    /// A row of the catalog's releases that can't be read.
    ///
    /// - Parameters:
    ///   - name: The bundle that it names, if it names one.
    ///   - version: The version likewise.
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

/// Is told of damage when it is found. Called on whatever thread reads the file, possibly several at once, and in the way of
/// the response: it should be quick.
public typealias DamageHandler = @Sendable (StoreDamage) -> Void
