import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleUpdate

struct FeedShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show how a feed offers a release: to whom, its archive, its patches.",
        discussion: """
            Example:
              bundlectl feed show shop@1.1.0 --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseReference

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let document = try feed.folder.read(release.name)
        let entry = try document.entries.offering(release.version)
        try output.console.report(OfferDetails(entry, of: document, at: feed.folder.feedPath))
    }
}
