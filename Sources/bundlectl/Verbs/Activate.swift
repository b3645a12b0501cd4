import ArgumentParser
import BundleStore

struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activate",
        abstract: "Make an installed version the active one.",
        discussion: """
            What was cached under the previous version is dropped in the same step. When it was higher, it is held \
            back: updates install only what exceeds it. A version that claims URLs of another bundle is refused, as by \
            install.

            Example:
              bundlectl activate shop@1.1.0
            """
    )

    @Argument(help: ArgumentHelp("The version.", valueName: "name@version"))
    var release: ReleaseReference

    @OptionGroup var overlap: OverlapOptions

    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open(readsIndexes: true)
        let previous = store.snapshot.bundles[release.name]?.activeVersion
        try store.activate(
            release.name,
            release.version,
            permittingOverlapWith: Set(overlap.allowOverlap),
            waits: wait
        )
        let held = try store.updateState(of: release.name)?.heldVersion
        try output.console.report(
            ActivationSummary(release.name, from: previous, to: release.version, isRollback: false, held: held)
        )
    }
}
