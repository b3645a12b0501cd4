import ArgumentParser
import BundleStore

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a version, or a bundle with all its versions.",
        discussion: """
            The active version can only be removed together with all others. “bundlectl prune” frees the space.

            Example:
              bundlectl remove shop@1.0.0
            """
    )

    @Argument(help: ArgumentHelp("The bundle, or one version of it.", valueName: "name[@version]"))
    var bundle: BundleReference

    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let removed = try store.open(readsIndexes: true).remove(bundle.name, bundle.version, waits: wait)
        try output.console.report(RemovalSummary(bundle.name, removed))
    }
}
