import ArgumentParser

struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List or clear the cached responses from the network.",
        discussion: """
            Example:
              bundlectl cache list
            """,
        subcommands: [CacheListing.self, CacheClearing.self]
    )
}
