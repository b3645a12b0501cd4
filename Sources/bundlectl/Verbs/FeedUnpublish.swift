import ArgumentParser
import BundleNetwork
import BundlePublishing

struct FeedUnpublish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpublish",
        abstract: "Take a release out of the feed.",
        discussion: """
            Installations that have the release keep it; “bundlectl feed revoke” ends its use there too. Its archive stays \
            for a day, since clients may have the feed before, and goes with the first change after that.

            Example:
              bundlectl feed unpublish shop@1.0.0 --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseReference

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try feed.folder.change(release.name, .unpublish(release.version))
        try output.console.report(FeedChangeSummary(report, of: release.name))
    }
}
