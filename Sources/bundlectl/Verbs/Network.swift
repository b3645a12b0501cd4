import ArgumentParser

struct Network: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Show the state of the origins, or say whether the link is metered.",
        discussion: """
            Examples:
              bundlectl network
              bundlectl network metered on
            """,
        subcommands: [NetworkState.self, NetworkMetering.self],
        defaultSubcommand: NetworkState.self
    )
}
