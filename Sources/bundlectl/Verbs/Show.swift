import ArgumentParser
import BundleNetwork
import BundleStore

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Show a release: its manifest, its state, and optionally its files; or how the space of the store is used.",
        discussion: """
            Without a version the active one is shown. With --storage it shows what each version uses alone and what \
            it shares with others: of all bundles, of one, or of one version. What only a removed version used stays \
            unused until pruning frees it: with its whole segment, or when more than half of the segment is unused.

            Examples:
              bundlectl show shop@1.0.0 --files
              bundlectl show --storage
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The bundle, or one version of it. Default with --storage: all.",
            valueName: "name[@version]"
        )
    )
    var bundle: BundleReference?

    @Flag(help: "List the files as well.")
    var files = false

    @Flag(help: "Show how many bytes the versions use alone and share, and the size of the store.")
    var storage = false

    @OptionGroup var networkRules: NetworkRuleOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if bundle == nil, !storage {
            throw ValidationError("name a bundle, as in bundlectl show shop, or give --storage")
        }
        if files, storage { throw ValidationError("--files and --storage show different things; give one of them") }
    }

    func run() async throws {
        let store = try store.open(readsIndexes: true)
        if storage {
            try output.console.report(try storageSummary(of: store))
        } else if let bundle {
            let release = try files ? bundle.release(in: store) : bundle.knownRelease(in: store)
            let degradation = store.snapshot.bundles[bundle.name]?.degradation
            output.console.warn([degradation, release.openingError.map(Advice.line)].compactMap(\.self))
            try output.console.report(
                ReleaseDetails(
                    release,
                    in: store.snapshot.bundles[bundle.name],
                    updates: try store.updateState(of: bundle.name),
                    precache: try await precacheReport(of: release, in: store),
                    listsFiles: files
                )
            )
        }
    }

    /// Nil for a version that isn't active, and one that names nothing to fetch ahead.
    private func precacheReport(of release: Release, in store: BundleStore) async throws -> PrecacheReport? {
        guard release.state == .active else { return nil }
        let rules = try networkRules.read(warn: output.console.warn)
        return await networkRules.responder(store, rules, transport: nil).precacheReports([release.name]).first
    }

    private func storageSummary(of store: BundleStore) throws -> StorageSummary {
        if let bundle { _ = try bundle.knownRelease(in: store) }
        return StorageSummary(try store.storageReport()) { release in
            guard let bundle else { return true }
            guard release.name == bundle.name else { return false }
            return bundle.version.map { $0.string == release.version.string } ?? true
        }
    }
}
