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
        let summary = try VerificationReport(damage, repair: report, of: name, in: store, message: Advice.line)
        try output.console.report(summary)
        for item in damage { Diagnostics.report(Advice.line(item)) }
        let bundles = store.snapshot.sortedBundles.filter { name == nil || $0.name == name }
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
extension VerificationReport: Report {
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
