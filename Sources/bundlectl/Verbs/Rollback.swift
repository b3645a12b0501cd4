import ArgumentParser
import BundleStore

struct Rollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Go back to the previously active version.",
        discussion: """
            The version rolled back from is held: updates install only higher ones, until a version is activated by \
            hand. A version that claims URLs of another bundle, which the current one doesn't, is refused, as by \
            install.

            Example:
              bundlectl rollback shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @OptionGroup var overlap: OverlapOptions

    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (previous, current) = try store.open(readsIndexes: true)
            .rollBack(name, permittingOverlapWith: Set(overlap.allowOverlap), waits: wait)
        try output.console.report(ActivationSummary(name, from: previous, to: current, isRollback: true))
    }
}
