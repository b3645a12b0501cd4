/// Something in the store that isn't what it should be.
public struct StoreDamage: Sendable, Hashable, CustomStringConvertible {
    /// The bundle, or nil when that isn't known, or the store as a whole is concerned.
    public let bundle: BundleName?
    /// The version; nil likewise.
    public let version: BundleVersion?
    /// The file inside the bundle, or nil when it isn't one that is concerned.
    public let path: String?
    /// What is wrong.
    public let problem: String
    /// What to do; nil when ``problem`` says that.
    public let remedy: Remedy?
    /// Whether nothing is broken: a newer program has written it, and only such a one may change it.
    public let isNewer: Bool
    /// Whether it is the row of an active release that can't be read.
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

    /// The same after a repair was tried: it doesn't advise to repair again.
    public var afterRepair: StoreDamage {
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
    public var place: String {
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

/// Is told of damage when it is found. Called on whatever thread reads the file, possibly several at once, and in the way of
/// the response: it should be quick.
public typealias DamageHandler = @Sendable (StoreDamage) -> Void
