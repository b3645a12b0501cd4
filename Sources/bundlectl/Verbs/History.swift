import ArgumentParser
import BundleStore

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Tell what has happened to the bundles, and why.",
        discussion: """
            Checks, choices, downloads, installations, activations and rollbacks, the oldest first: the latest 200 of a \
            bundle, and 2,000 in all. A check, a choice or a failure that repeats the last one of its kind isn't listed \
            again. The history of a bundle is removed with it.

            Example:
              bundlectl history shop --json
            """
    )

    @Argument(help: "The bundle. Default: all.")
    var name: BundleName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try output.console.report(EventList(try store.open().history(of: name)))
    }
}
