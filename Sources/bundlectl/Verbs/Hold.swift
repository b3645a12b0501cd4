import ArgumentParser
import BundleStore

struct Hold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Leave a bundle as it is: updates install nothing.",
        discussion: """
            “bundlectl list” shows which bundles are on hold. Installing and activating by hand go on working.

            Example:
              bundlectl hold shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try store.open().setHold(true, name, waits: wait)
        try output.console.report(HoldSummary(name, isOnHold: true, held: nil))
    }
}
