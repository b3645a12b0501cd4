import ArgumentParser
import BundleStore

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the bundles and their versions.",
        discussion: """
            The active version is served; retained ones are kept for rollback; installed ones were never activated.

            Example:
              bundlectl list --json
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let snapshot = try store.open(readsIndexes: true).snapshot
        output.console.warn(snapshot.damage.map(Advice.line) + snapshot.degradations)
        try output.console.report(BundleList(snapshot))
    }
}
