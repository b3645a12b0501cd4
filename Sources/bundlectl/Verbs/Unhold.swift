import ArgumentParser
import BundleStore

struct Unhold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unhold",
        abstract: "Let updates install releases of a bundle again.",
        discussion: """
            Updates may then also return to a version that a rollback has left.

            Example:
              bundlectl unhold shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try store.open().setHold(false, name, waits: wait)
        try output.console.report(HoldSummary(name, isOnHold: false))
    }
}
