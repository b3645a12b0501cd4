import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleServer
import BundleStore
import BundleTransport

/// Which bundles to check, and with which feed.
struct FeedOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The feed's URL, instead of the manifest's; requires one NAME.", valueName: "url"))
    var feed: FeedURL?

    @Argument(help: "The bundles. Default: all that have a feed.")
    var names: [BundleName] = []

    func validate() throws {
        if feed != nil, Set(names).count != 1 {
            throw ValidationError("--feed is the feed of one bundle; name the bundle")
        }
    }

    /// Calls `body` for each of the bundles, one after the other, with its updater; with nil for one without a feed
    /// that wasn't named.
    ///
    /// - Throws: What `body` throws; `BundleError` with code `invalidArgument` when the store lacks a bundle that is
    ///   named.
    func eachBundle(
        in store: BundleStore,
        _ body: (InstalledBundle, Updater?) async throws -> Void
    ) async throws {
        let bundles = try bundles(in: store)
        let transport = AsyncHTTPClientTransport()
        let updater = Updater(store, installer: Installer(detectingTypesIn: store), transport: transport)
        let result: Result<Void, any Error>
        do {
            for bundle in bundles { try await body(bundle, names.isEmpty && !bundle.hasFeed ? nil : updater) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try result.get()
    }

    private func bundles(in store: BundleStore) throws(BundleError) -> [InstalledBundle] {
        guard !names.isEmpty else { return store.snapshot.sortedBundles }
        return try Set(names).sorted().map(store.bundle)
    }
}
