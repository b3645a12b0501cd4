import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation

struct FeedCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a signed feed as a new device does, and until when its signatures are good.",
        discussion: """
            For a monitor: exits with \(ExitStatus.done.rawValue) when devices take the feed, with \
            \(ExitStatus.problemFound.rawValue) when half of the life of a signature is over, a day later than “feed refresh” signs \
            it again, and with \(ExitStatus.badInput.rawValue) when devices would refuse the feed. It needs no key and no store.

            Examples:
              bundlectl feed check https://get.example.com/shop/feed.json --trust sha256:DIGEST
              bundlectl feed check /srv/www/releases
            """
    )

    @Argument(
        help: ArgumentHelp("The feed: its URL, or its folder.", valueName: "url|dir"),
        completion: .file()
    )
    var source: InstallSource

    @Option(
        name: .customLong("trust"),
        help: ArgumentHelp(
            "The SHA-256 of the publisher's first root. Default: that of the root that is there.",
            valueName: "sha256:hex"
        )
    )
    var root: RootDigest?

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let url = source.url ?? source.localFeed(isDescribed: true) else {
            throw BundleError(
                .inputUnavailable,
                "there is no feed there; name its URL, or the folder that feed.json is in"
            )
        }
        let access = try reach.read(warn: output.console.warn)
        let folder = try ScratchFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try BundleStore(at: folder.path, creating: true)
        var configuration = Updater.Configuration()
        (configuration.userAgent, configuration.places) = (ProductVersion.userAgent, .ofEnvironment)
        let report = try await store.updating(configuration, over: access) { updater in
            try await updater.inspect(feed: url, root: root?.digest)
        }
        output.console.warn(report.warnings.map { "\($0.problem); \($0.remedy)" })
        try output.console.report(TrustDetails(report: report))
        if !report.warnings.isEmpty { throw EarlyEnd(status: .problemFound) }
    }
}
