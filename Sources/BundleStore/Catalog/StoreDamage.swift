/// Damage found in the store.
public struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The bundle, or nil when it isn't known or the damage concerns the whole store.
    public let bundle: BundleName?
    /// The version; nil in the same cases.
    public let version: BundleVersion?
    /// The file inside the bundle, or nil when the damage doesn't concern a single file.
    public let path: String?
    /// What is wrong.
    public let problem: String
    /// What to do; nil when ``problem`` says that.
    public let remedy: Remedy?
    /// Whether nothing is damaged: a newer program has written it, and only such a program may change it.
    public let isNewer: Bool
    /// Whether the row of an active release can't be read.
    var isOfActiveRow = false

    init(
        bundle: BundleName?,
        version: BundleVersion?,
        path: String? = nil,
        _ problem: String,
        _ remedy: Remedy?,
        isNewer: Bool = false
    ) {
        self.bundle = bundle
        self.version = version
        self.path = path
        self.problem = problem
        self.remedy = remedy
        self.isNewer = isNewer
    }

    /// The same damage after a repair was tried: repairing isn't advised again.
    package var afterRepair: StoreDamage {
        var damage = StoreDamage(
            bundle: bundle,
            version: version,
            path: path,
            problem,
            remedy?.afterRepair,
            isNewer: isNewer
        )
        damage.isOfActiveRow = isOfActiveRow
        return damage
    }

    /// Where it is, for a person: `shop@1.0.0 app.js`, or `catalog`.
    package var place: String {
        let release = bundle.map { "\($0)\(version.map { "@\($0)" } ?? "")" } ?? "catalog"
        return "\(release)\(path.map { " " + Printable.text($0) } ?? "")"
    }

    /// Where it is, what is wrong, and what to do.
    public var notice: Notice { Notice("\(place): \(problem)", remedy) }

    /// One line that names the place, the problem, and what to do.
    public var description: String { notice.description }

    /// The error of an operation that needs what is damaged.
    var error: BundleError {
        BundleError(isNewer ? .newerFormat : .storeDamaged, notice.problem, notice.remedy)
    }
}

/// Called when damage is found. Called on the thread that reads the file, possibly on several at once, and before the
/// response is sent: it should return quickly.
public typealias DamageHandler = @Sendable (StoreDamage) -> Void
