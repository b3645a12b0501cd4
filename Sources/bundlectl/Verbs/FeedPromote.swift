import ArgumentParser
import BundleNetwork
import BundlePublishing

struct FeedPromote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Offer a release of one channel in another one too.",
        discussion: """
            Those who follow the first channel go on being offered it. Patches from releases of the other channel are there \
            if that is stable; otherwise publish the archive again.

            Example:
              bundlectl feed promote shop@1.2.0 --from beta --to stable --in /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseReference

    @Option(help: ArgumentHelp("A channel that offers it.", valueName: "channel"))
    var from: ChannelName

    @Option(help: ArgumentHelp("The channel that is to offer it too.", valueName: "channel"))
    var to: ChannelName

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let change = FeedChange.promote(release.version, from: from.string, to: to.string)
        let report = try feed.folder.change(release.name, change)
        try output.console.report(FeedChangeSummary(report, of: release.name))
    }
}
