import ArgumentParser
import BundleNetwork
import BundleServing
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
            try output.console.report(report)
        }
    }
}

/// The result of `stats`.
extension UsageReport: Report {
    var lines: [String] {
        guard requests.total > 0 || missCount > 0 else { return ["nothing has been counted"] }
        return facts + section("top misses", missLines) + section("slowest URLs", slowLines)
    }

    private var facts: [String] {
        let layers = [
            ("active", requests.active), ("retained", requests.retained), ("cache", requests.cache),
            ("stale", requests.stale), ("network", requests.network), ("miss", requests.miss),
            ("server", requests.server),
        ]
        let byLayer = Self.list(layers.map { ($0.0, $0.1, "\($0.1)") })
        return KeyValueList.lines([
            ("requests", byLayer.isEmpty ? "\(requests.total)" : "\(requests.total): \(byLayer)"),
            ("hit rate", hitRate.map { "\(($0 * 1_000).rounded() / 10) %" }),
            (
                "sent",
                Self.bytes([
                    ("bundle", bytes.bundle), ("cache", bytes.cache), ("network", bytes.network),
                    ("server", bytes.server),
                ])
            ),
            ("saved", Self.bytes([("codings", saved.codings), ("deltas", saved.deltas)])),
            (
                "revalidations",
                revalidations.count > 0 ? "\(revalidations.count), \(revalidations.confirmed) confirmed" : nil
            ),
            ("errors", errorText), ("offline pages", offlinePageCount > 0 ? "\(offlinePageCount)" : nil),
            ("misses", missCount > 0 ? "\(missCount)" : nil),
        ])
    }

    private var errorText: String? {
        let kinds = [
            ("4xx", errors.client), ("5xx", errors.server), ("abandoned", errors.abandoned),
            ("offline", errors.offline), ("no response", errors.noResponse), ("denied", errors.denied),
            ("only if cached", errors.onlyIfCached),
        ]
        let text = Self.list(kinds.map { ($0.0, $0.1, "\($0.1)") })
        return text.isEmpty ? nil : text
    }

    private var missLines: [String] {
        guard !misses.isEmpty else { return [] }
        return Table.lines(
            of: misses,
            [
                .right("REQUESTS") { "\($0.count)" }, .left("BUNDLE") { $0.name },
                .left("PATH") { Printable.line($0.path) },
            ]
        )
    }

    private var slowLines: [String] {
        guard !slowest.isEmpty else { return [] }
        return Table.lines(
            of: slowest,
            [
                .right("LONGEST") { "\($0.maximumMilliseconds) ms" }, .right("MEAN") { "\($0.meanMilliseconds) ms" },
                .right("RESPONSES") { "\($0.count)" }, .left("BUNDLE") { $0.name },
                .left("URL") { Printable.line($0.url) },
            ]
        )
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", "\(title):"] + lines
    }

    private static func bytes(_ parts: [(String, Int64)]) -> String? {
        let text = list(parts.map { ($0.0, $0.1, ByteCount.text($0.1)) })
        return text.isEmpty ? nil : text
    }

    /// The parts that aren't zero.
    private static func list(_ parts: [(name: String, value: Int64, text: String)]) -> String {
        parts.filter { $0.value > 0 }.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
    }
}

/// The paths of misses, as `pack --include-list` reads them.
enum MissList {
    /// A path with a control character, which a line can't hold, is left out.
    static func lines(_ paths: [String]) -> [String] {
        let printable = paths.filter { $0.unicodeScalars.allSatisfy(isPrintable) }
        // Otherwise it would be a comment.
        return printable.map { $0.hasPrefix("#") ? "./\($0)" : $0 }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
