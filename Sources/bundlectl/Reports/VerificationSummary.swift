import BundleStore

/// The result of `verify`: the damage, and the repairs.
struct VerificationSummary: Report {
    /// One damaged item.
    struct Damage: Encodable {
        let name: String?
        let version: String?
        let path: String?
        let problem: String
    }

    /// One repaired item.
    struct Repair: Encodable {
        let action: String
        let name: String?
        let version: String?
        let path: String?
        let item: String?
        let source: String?
        fileprivate let line: String

        private enum CodingKeys: CodingKey {
            case action, name, version, path, item, source
        }
    }

    /// A source in which the correct bytes were looked for.
    struct Attempt: Encodable {
        let place: String
        let outcome: String
    }

    let isSound: Bool
    let releaseCount: Int
    let byteCount: Int64
    let responseCount: Int
    let responseByteCount: Int64
    let repaired: [Repair]?
    let tried: [Attempt]?
    let damage: [Damage]

    /// - Parameters:
    ///   - damage: The remaining damage.
    ///   - repair: What was repaired; nil when no repair was requested.
    ///   - byteCounts: Each release's size in bytes.
    ///   - responseByteCounts: The length in bytes of the body of each stored response.
    init(
        _ damage: [StoreDamage],
        repair: RepairReport? = nil,
        byteCounts: [Int64],
        responseByteCounts: [Int64] = []
    ) {
        isSound = damage.isEmpty
        releaseCount = byteCounts.count
        byteCount = Self.sum(byteCounts)
        responseCount = responseByteCounts.count
        responseByteCount = Self.sum(responseByteCounts)
        tried = repair?.attempts.map { Attempt(place: $0.place, outcome: $0.outcome) }
        repaired = repair?.repaired.map {
            Repair(
                action: $0.action.rawValue,
                name: $0.name?.string,
                version: $0.version?.string,
                path: $0.path,
                item: $0.item,
                source: $0.source,
                line: $0.description
            )
        }
        self.damage = damage.map {
            Damage(
                name: $0.bundle?.string,
                version: $0.version?.string,
                path: $0.path,
                problem: Advice.line(Notice($0.problem, $0.remedy))
            )
        }
    }

    /// A damaged catalog may hold any number, which must not end the program.
    private static func sum(_ byteCounts: [Int64]) -> Int64 {
        byteCounts.reduce(0) { sum, count in
            let (total, overflows) = sum.addingReportingOverflow(count)
            return overflows ? .max : total
        }
    }

    /// Damage is reported as errors.
    var lines: [String] {
        let repairs = (repaired ?? []).map(\.line)
        guard isSound else { return repairs + (tried ?? []).map { "tried \($0.place): \($0.outcome)" } }
        let releases = "\(Quantity.text(releaseCount, "release")), \(ByteCount.text(byteCount))"
        let responses = "\(Quantity.text(responseCount, "kept response")), \(ByteCount.text(responseByteCount))"
        let extent = responseCount == 0 ? releases : "\(releases), and \(responses)"
        return repairs + ["verified \(extent): all is as it should be"]
    }
}
