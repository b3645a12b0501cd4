import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleUpdate

struct FeedRollout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout",
        abstract: "Offer a release to a share of the installations.",
        discussion: """
            A higher share offers it to more installations, and still to all of those before. A lower one takes it back \
            from none that has installed it.

            Example:
              bundlectl feed rollout shop@1.1.0 50% --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseReference

    @Argument(help: ArgumentHelp("The share: 10%, 12.5%, 100%.", valueName: "percent"))
    var share: Rollout

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try feed.folder.change(release.name, .rollOut(release.version, share))
        try output.console.report(FeedChangeSummary(report, of: release.name))
    }
}
