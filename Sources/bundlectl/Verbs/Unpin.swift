import ArgumentParser
import BundleStore

struct Unpin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Unpin a version.",
        discussion: """
            The version stays until --keep, “bundlectl prune”, “bundlectl remove” or the quota removes it.

            Example:
              bundlectl unpin shop@1.0.0
            """
    )

    @Argument(help: ArgumentHelp("The version.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        try change.store.open().setPinned(false, release.name, release.version, waits: change.wait)
        try change.output.console.report(PinSummary(release, isPinned: false))
    }
}
