import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleServer
import BundleStore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read everything again and compare it with its digests; on demand repair what is damaged.",
        discussion: """
            What is damaged is reported a line each, and the exit status is \(ExitStatus.badInput.rawValue). With --repair the \
            right bytes are taken from other places in the store, from the archive that --from names, and from the bundles' \
            origins; only what has the right digest is taken, and the status tells whether damage is left. A damaged index \
            needs the release's own archive. Damaged responses from the network are dropped.

            Examples:
              bundlectl verify shop
              bundlectl verify --repair --from shop-1.0.0.zip
            """
    )

    @Argument(help: "The bundle; all when none is named.")
    var name: BundleName?

    @Flag(help: "Repair what is damaged.")
    var repair = false

    @Option(
        help: ArgumentHelp("With --repair: an archive that has the right files.", valueName: "archive"),
        completion: .file()
    )
    var from: String?

    @Flag(help: "With --repair: never touch the network.")
    var offline = false

    @Flag(help: "With --repair: wait for another process that works on a bundle.")
    var wait = false

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
        let store = try store.open()
        let (damage, mended) = repair ? try await repair(store) : (try verify(store), nil)
        let releases = store.snapshot.sortedBundles.filter { name == nil || $0.name == name }.flatMap(\.releases)
        let responses = try store.cachedResponses().filter { name == nil || $0.bundle == name }
        let summary = VerificationSummary(
            damage,
            mended: mended,
            byteCounts: releases.map(\.byteCount),
            responseByteCounts: responses.map(\.byteCount)
        )
        try output.console.report(summary)
        for item in damage { Diagnostics.report("\(item)") }
        if !damage.isEmpty { throw EarlyEnd(status: .badInput) }
    }

    private func verify(_ store: BundleStore) throws -> [StoreDamage] {
        try output.console.showingProgress("verifying") { bar in
            try store.verify(name) { bar.update(done: $0, total: $1) }
        }
    }

    private func repair(_ store: BundleStore) async throws -> (left: [StoreDamage], mended: [RepairReport.Mended]?) {
        let repair = try output.console.showingProgress("verifying") { bar in
            try store.beginRepair(of: name) { bar.update(done: $0, total: $1) }
        }
        try await supply(repair, from: StoreRepairSource())
        if let from {
            var options = InstallOptions()
            options.waits = wait
            archive.apply(to: &options)
            let installer = Installer(detectingTypesIn: store)
            try await supply(repair, from: ArchiveRepairSource(from, installer: installer, options: options))
        }
        if !offline, !repair.isComplete { try await supplyFromOrigins(repair) }
        let report = try repair.commit(waits: wait)
        return (report.damage, report.mended)
    }

    private func supplyFromOrigins(_ repair: StoreRepair) async throws {
        let transport = AsyncHTTPClientTransport()
        let result: Result<Void, any Error>
        do {
            result = .success(try await supply(repair, from: OriginRepairSource(transport)))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try result.get()
    }

    /// A source that fails is told of, and doesn't keep the others from being asked.
    private func supply(_ repair: StoreRepair, from source: some RepairSource) async throws {
        do {
            try await source.supply(repair)
        } catch let error as BundleError where ![.storeUnavailable, .storeBusy].contains(error.code) {
            output.console.warn(["\(error)"])
        }
    }
}
