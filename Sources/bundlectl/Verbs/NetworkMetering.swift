import ArgumentParser
import BundleStore

struct NetworkMetering: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metered",
        abstract: "Say that the link is metered, or that it isn't.",
        discussion: """
            On a metered link the network rules with “onlyIfMetered” apply. Running servers of the store see it within a \
            second, and later ones at their start. It counts before --metered of serve; “default” takes it back.

            Examples:
              bundlectl network metered on
              bundlectl network metered default
            """
    )

    /// What is said.
    enum Setting: String, CaseIterable, ExpressibleByArgument {
        case on, off, `default`

        fileprivate var isMetered: Bool? {
            switch self {
            case .on: true
            case .off: false
            case .default: nil
            }
        }
    }

    @Argument(help: "on, off, or default for what servers are started with.")
    var setting: Setting

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        try store.setMetered(setting.isMetered)
        try output.console.report(MeteringSummary(isMetered: setting.isMetered))
    }
}
