/// What a verification, and a repair, has come to, as JSON documents have it. A value type; safe to share between threads.
package struct VerificationReport: Encodable, Sendable {
    /// One damaged item.
    package struct Damage: Encodable, Sendable {
        /// Where it is; nil where that isn't known, or doesn't apply.
        package let name: String?, version: String?, path: String?
        /// What is wrong and what to do, in one line.
        package let problem: String
    }

    /// One repaired item.
    package struct Repair: Encodable, Sendable {
        let action: String
        let name: String?
        let version: String?
        let path: String?
        let item: String?
        let source: String?
        /// The same for a person; not a part of the document.
        package let line: String

        private enum CodingKeys: CodingKey {
            case action, name, version, path, item, source
        }

        init(_ repaired: RepairReport.Repaired) {
            action = repaired.action.rawValue
            (name, version, path) = (repaired.name?.string, repaired.version?.string, repaired.path)
            (item, source) = (repaired.item, repaired.source)
            line = repaired.description
        }
    }

    /// A source in which the correct bytes were looked for.
    package struct Attempt: Encodable, Sendable {
        /// An archive's path, a URL, or a part of the store.
        package let place: String
        /// What has come of it, as a phrase.
        package let outcome: String
    }

    /// Whether nothing is damaged.
    package let isSound: Bool
    /// The number of releases, and the sum of their sizes in bytes.
    package let releaseCount: Int, byteCount: Int64
    /// The number of stored responses, and the sum of their bodies' lengths in bytes.
    package let responseCount: Int, responseByteCount: Int64
    /// What was repaired, and what was tried; nil when no repair was requested.
    package let repaired: [Repair]?, tried: [Attempt]?
    /// The damage, or what is left of it.
    package let damage: [Damage]

    /// - Parameters:
    ///   - damage: The damage, or what is left of it.
    ///   - repair: What was repaired; nil when no repair was requested.
    ///   - byteCounts: Each release's size in bytes.
    ///   - responseByteCounts: The length in bytes of the body of each stored response.
    ///   - message: Words a notice.
    package init(
        _ damage: [StoreDamage],
        repair: RepairReport? = nil,
        byteCounts: [Int64],
        responseByteCounts: [Int64] = [],
        message: (Notice) -> String
    ) {
        isSound = damage.isEmpty
        (releaseCount, byteCount) = (byteCounts.count, Self.sum(byteCounts))
        (responseCount, responseByteCount) = (responseByteCounts.count, Self.sum(responseByteCounts))
        tried = repair?.attempts.map { Attempt(place: $0.place, outcome: $0.outcome) }
        repaired = repair?.repaired.map(Repair.init)
        self.damage = damage.map {
            Damage(
                name: $0.bundle?.string,
                version: $0.version?.string,
                path: $0.path,
                problem: message(Notice($0.problem, $0.remedy))
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
}

extension VerificationReport {
    /// Reports on a store, or on one of its bundles.
    ///
    /// - Parameters: As for ``init(_:repair:byteCounts:responseByteCounts:message:)``; `name` is nil for all bundles.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package init(
        _ damage: [StoreDamage],
        repair: RepairReport? = nil,
        of name: BundleName?,
        in store: BundleStore,
        message: (Notice) -> String
    ) throws {
        let bundles = store.snapshot.sortedBundles.filter { name == nil || $0.name == name }
        let responses = try store.cachedResponses().filter { name == nil || $0.bundle == name }
        self.init(
            damage,
            repair: repair,
            byteCounts: bundles.flatMap(\.releases).map(\.byteCount),
            responseByteCounts: responses.map(\.byteCount),
            message: message
        )
    }
}
