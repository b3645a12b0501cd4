import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleServer
import BundleStore
import BundleTar
import BundleTransport
import BundleUpdate

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read everything again and compare it with its digests; optionally repair damage.",
        discussion: """
            Each damaged item is reported on a line, and the exit status is \(ExitStatus.badInput.rawValue). With \
            --repair the correct bytes are taken from other places in the store, from the archive given by --from, \
            from the bundles' origins, and from the archives that their feeds offer; only content with the recorded \
            digest is used. The exit status says whether damage remains; if so, what was tried is reported. A damaged \
            index can only be repaired from the release's own archive. Damaged responses from the network are dropped.

            Examples:
              bundlectl verify shop
              bundlectl verify --repair --from shop-1.0.0.zip
            """
    )

    @Argument(help: "The bundle. Default: all.")
    var name: BundleName?

    @Flag(help: "Repair damage.")
    var repair = false

    @Option(
        help: ArgumentHelp("With --repair: an archive with the correct files.", valueName: "archive"),
        completion: .file()
    )
    var from: String?

    @Flag(help: "With --repair: don't use the network.")
    var offline = false

    @Flag(help: "With --repair: wait for another process that works on a bundle.")
    var wait = false

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @OptionGroup(title: "The archive that --from names")
    var archive: ArchiveOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard repair || (from == nil && !offline && !wait) else {
            throw ValidationError("--from, --offline and --wait say how to repair; add --repair")
        }
    }

    func run() async throws {
        let access = try reach.read(warn: output.console.warn)
        let store = try store.open()
        let (damage, report) = repair ? try await repair(store, over: access) : (try verify(store), nil)
        let bundles = store.snapshot.sortedBundles.filter { name == nil || $0.name == name }
        let releases = bundles.flatMap(\.releases)
        let responses = try store.cachedResponses().filter { name == nil || $0.bundle == name }
        let summary = VerificationSummary(
            damage,
            repair: report,
            byteCounts: releases.map(\.byteCount),
            responseByteCounts: responses.map(\.byteCount)
        )
        try output.console.report(summary)
        for item in damage { Diagnostics.report(Advice.line(item)) }
        output.console.warn(bundles.compactMap(\.degradation))
        if !damage.isEmpty { throw EarlyEnd(status: .badInput) }
    }

    private func verify(_ store: BundleStore) throws -> [StoreDamage] {
        try output.console.showingProgress("verifying") { bar in
            try store.verify(name) { bar.update($0) }
        }
    }

    private func repair(_ store: BundleStore, over access: NetworkAccess) async throws -> (
        left: [StoreDamage], report: RepairReport?
    ) {
        let repair = try output.console.showingProgress("verifying") { bar in
            try store.beginRepair(of: name) { bar.update($0) }
        }
        let failures = try await supply(repair, of: store, over: access)
        output.console.warn(failures.map(Advice.line))
        let report = try repair.commit(waits: wait)
        return (report.damage.map(\.afterRepair), report)
    }

    /// Returns why some of the sources couldn't be asked.
    private func supply(
        _ repair: StoreRepair,
        of store: BundleStore,
        over access: NetworkAccess
    ) async throws -> [BundleError] {
        var options = InstallOptions()
        options.waits = wait
        archive.apply(to: &options)
        let installer = Installer(store, formats: .zipAndTar)
        guard !offline, !repair.needsNothing else {
            return try await RepairRound(installer, transport: nil, options: options).run(repair, archive: from)
        }
        return try await access.withTransport { [options] transport in
            let credentials = access.credentials
            let round = RepairRound(installer, transport: transport, options: options, credentials: credentials)
            return try await round.run(repair, archive: from)
        }
    }
}

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
