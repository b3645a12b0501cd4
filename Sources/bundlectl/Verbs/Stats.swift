import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUsage
import Foundation

struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show what the bundles were used for: requests by layer, bytes, misses and slow URLs.",
        discussion: """
            serve and apps count, and write what they have counted once a minute and at their end. A miss is a request for \
            a file that neither the bundle nor the cache had; --misses prints their paths in the bundle, one a line, for \
            pack --include-list. Times are those until the network's response begins. Queries of URLs aren't kept.

            Examples:
              bundlectl stats shop --since 7d
              bundlectl stats shop --misses --top 100 > misses.txt
            """
    )

    @Argument(help: "The bundle. Default: all, and requests that no bundle covers.")
    var name: BundleName?

    @Option(
        help: ArgumentHelp(
            "Count from this long ago: 12h, 7d; whole hours of the last 3 days, and whole days (UTC) before that. Default: "
                + "90 days, and for misses and slow URLs 30 days.",
            valueName: "duration"
        )
    )
    var since: DurationArgument?

    @Option(help: ArgumentHelp("The most misses and slow URLs to show.", valueName: "n"))
    var top = 10

    @Flag(help: "Print only the paths of the misses, one a line.")
    var misses = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if top < 0 { throw ValidationError(top, of: "--top", mustBe: "0 or more", suchAs: "10") }
        guard misses else { return }
        if name == nil {
            throw ValidationError("--misses needs a bundle; name it, as in bundlectl stats shop --misses")
        }
        if output.json { throw ValidationError("--misses prints lines; leave it out, since --json has the misses too") }
    }

    func run() async throws {
        let store = try store.open()
        if let name { _ = try store.bundle(name) }
        let now = Date()
        let start = since.map { now.addingTimeInterval(-TimeInterval($0.duration.components.seconds)) }
        let report = try UsageReport(of: store, bundle: name, since: start, listCount: top)
        if misses {
            try StandardStreams.write(MissList.lines(report.misses.map(\.path)).map { $0 + "\n" }.joined())
        } else {
            try output.console.report(UsageSummary(report, of: name, since: start))
        }
    }
}
