import ArgumentParser
import BundleStore

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the bundles and their versions.",
        discussion: """
            The active version is served; retained ones are kept for rollback; installed ones were never activated. \
            Updates leave a bundle on hold as it is, and install nothing of one up to the version that is held back.

            Example:
              bundlectl list --json
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open(readsIndexes: true)
        let snapshot = store.snapshot
        output.console.warn(snapshot.damage.map(Advice.line) + snapshot.degradations)
        let states = try snapshot.bundles.keys.compactMap { name in try store.updateState(of: name).map { (name, $0) } }
        try output.console.report(BundleList(snapshot, states: Dictionary(uniqueKeysWithValues: states)))
    }
}
