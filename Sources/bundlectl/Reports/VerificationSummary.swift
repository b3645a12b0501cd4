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

    /// - Parameter byteCounts: Each release's size in bytes.
    init(_ damage: [StoreDamage], byteCounts: [Int64]) {
        isSound = damage.isEmpty
        releaseCount = byteCounts.count
        // A damaged catalog may hold any number, and none may end the program.
        byteCount = byteCounts.reduce(0) { sum, count in
            let (total, overflows) = sum.addingReportingOverflow(count)
            return overflows ? .max : total
        }
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
