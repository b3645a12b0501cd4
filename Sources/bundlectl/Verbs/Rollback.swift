import ArgumentParser
import BundleStore

struct Rollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Go back to the previously active version, or to a certain one.",
        discussion: """
            The version rolled back from is held back: updates install only higher ones, until it or a higher one is \
            activated by hand, or “bundlectl unhold” lets them. A second rollback goes further back. A version that \
            claims URLs of another bundle, which the current one doesn't, is refused, as by install.

            Examples:
              bundlectl rollback shop
              bundlectl rollback shop --to 1.0.0
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @Option(help: ArgumentHelp("The installed version to go back to. Default: the one before.", valueName: "version"))
    var to: BundleVersion?

    @OptionGroup var overlap: OverlapOptions

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        let store = try change.store.open(readsIndexes: true)
        let (previous, current) =
            try store.rollBack(name, to: to, permittingOverlapWith: Set(overlap.allowOverlap), waits: change.wait)
        let held = try store.updateState(of: name)?.heldVersion
        try change.output.console.report(
            ActivationSummary(name, from: previous, to: current, isRollback: true, held: held)
        )
    }
}
