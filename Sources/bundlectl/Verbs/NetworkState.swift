import ArgumentParser
import BundleStore

struct NetworkState: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show whether the link is metered, and which origins respond.",
        discussion: """
            An origin that doesn't respond is out (its circuit is open): what is stored is served at once, and the origin \
            is asked once a second behind the responses. A running server writes within a second \
            when an origin goes out or returns, and everything else every 30 seconds, or five while one is out.

            Example:
              bundlectl network --json
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        try output.console.report(
            NetworkSummary(
                isMetered: try store.meteredSetting(),
                isServed: store.isBeingServed,
                origins: try store.originStates()
            )
        )
    }
}
