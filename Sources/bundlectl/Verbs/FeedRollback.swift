import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleStore

struct FeedRollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Make a release the highest one again: revoke those above it.",
        discussion: """
            Higher releases are revoked in the channels that offer this one, all in one change. Installations that use \
            one of them go to the highest release that is left.

            Example:
              bundlectl feed rollback shop --to 1.0.0 --in /srv/www/releases
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @Option(help: ArgumentHelp("The release that is to be the highest.", valueName: "version"))
    var to: BundleVersion

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try feed.folder.change(name, .rollBack(to: to))
        try output.console.report(FeedChangeSummary(report, of: name))
    }
}
