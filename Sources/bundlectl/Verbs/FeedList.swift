import ArgumentParser
import BundleNetwork
import BundlePublishing

struct FeedList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the releases that a feed offers.",
        discussion: """
            Example:
              bundlectl feed list --in /srv/www/releases
            """
    )

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try output.console.report(FeedListing(try feed.folder.read(), at: feed.folder.feedPath))
    }
}
