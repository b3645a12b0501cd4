import ArgumentParser
import BundleStore

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a release: its manifest, its state, and on demand its files.",
        discussion: """
            Without a version it is the active one.

            Example:
              bundlectl show shop@1.0.0 --files
            """
    )

    @Argument(help: ArgumentHelp("The bundle, or one version of it.", valueName: "name[@version]"))
    var bundle: BundleReference

    @Flag(help: "List the files as well.")
    var files = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        let release = try bundle.release(in: store)
        try output.console.report(
            ReleaseDetails(
                release,
                in: store.snapshot.bundles[bundle.name],
                updates: try store.updateState(of: bundle.name),
                listsFiles: files
            )
        )
    }
}
