import BundleStore

/// What `verify` found.
struct VerificationSummary: Report {
    /// One thing that is wrong.
    struct Damage: Encodable {
        let name: String
        let version: String
        let path: String?
        let problem: String
    }

    let isSound: Bool
    let releaseCount: Int
    let byteCount: Int64
    let damage: [Damage]

    init(_ damage: [StoreDamage], releases: [Release]) {
        isSound = damage.isEmpty
        releaseCount = releases.count
        byteCount = releases.reduce(0) { $0 + $1.byteCount }
        self.damage = damage.map {
            Damage(name: $0.bundle.string, version: $0.version.string, path: $0.path, problem: $0.problem)
        }
    }

    /// What is wrong is told as an error.
    var lines: [String] {
        isSound
            ? [
                "verified \(Quantity.text(releaseCount, "release")), \(ByteCount.text(byteCount)): all is as it should be"
            ] : []
    }
}
