import ArgumentParser
import BundleNetwork
import BundlePublishing

struct FeedRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Say that a release must not be used any more.",
        discussion: """
            It isn't installed any more, and installations that use it go to the highest release that their channel \
            offers, even a lower one. That can't be undone: a corrected release has a higher version.

            Example:
              bundlectl feed revoke shop@1.1.0 --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseReference

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try feed.folder.change(release.name, .revoke(release.version))
        try output.console.report(FeedChangeSummary(report, of: release.name))
    }
}
