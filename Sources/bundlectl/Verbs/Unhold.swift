import ArgumentParser
import BundleStore

struct Unhold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unhold",
        abstract: "Let updates install releases of a bundle again.",
        discussion: """
            A version that was rolled back from, or marked bad, stays held back. For a bundle that isn't on hold, this lets \
            updates return to that version, too.

            Example:
              bundlectl unhold shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        let store = try change.store.open()
        try store.setHold(false, name, waits: change.wait)
        try change.output.console.report(
            HoldSummary(name, isOnHold: false, held: store.updateState(of: name)?.heldVersion)
        )
    }
}
