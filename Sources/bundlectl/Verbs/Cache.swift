import ArgumentParser

struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List or clear what came from the network and is kept.",
        discussion: """
            Example:
              bundlectl cache list
            """,
        subcommands: [CacheListing.self, CacheClearing.self]
    )
}
