import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation

struct FeedRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Sign a feed again whose signatures have half of their life behind them.",
        discussion: """
            Devices take no news that were signed more than 14 days ago: otherwise a server could hold a feed back \
            for ever. What is installed goes on working. The online key is enough, and nothing changes before half of that \
            time is over, so that cron can run it each day; the report has the line for it.

            Example:
              bundlectl feed refresh --in /srv/www/releases --keys keys
            """
    )

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if signing.keys == nil { throw ValidationError("--keys is missing; name the folder that has the online key") }
    }

    func run() async throws {
        guard let keys = try signing.signingKeys() else { return }
        let report = try await feed.using(output) { try $0.refresh(signing: keys) }
        output.console.warn(report.warnings)
        try output.console.report(RefreshSummary(report, crontab: crontab()))
    }

    /// The line of a crontab.
    private func crontab() throws -> String {
        let files = [("--keys", signing.keys), ("--passphrase-file", signing.passphrases.passphraseFile)]
        let options =
            ["--in", feed.place.absoluteText]
            + files.flatMap { option, path in path.map { [option, URL(fileURLWithPath: $0).path] } ?? [] }
        let program = Bundle.main.executableURL?.path ?? CommandLine.arguments[0]
        let words = [program, "feed", "refresh"] + options
        guard !words.contains(where: { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }) else {
            throw BundleError(.invalidArgument, "a path has a control character, which cron can't be given; rename it")
        }
        // Not --quiet, so that cron sends the warnings.
        return "23 4 * * * \(words.map(CrontabQuoting.word).joined(separator: " ")) >/dev/null"
    }
}

/// The result of `feed refresh`.
struct RefreshSummary: Report {
    let feed: String
    let isRefreshed: Bool
    let signedUntil: Date
    let targetsExpireAt: Date
    let rootExpiresAt: Date
    /// A line that runs the command each day.
    let crontab: String

    init(_ report: RefreshReport, crontab: String) {
        feed = report.feedName
        isRefreshed = report.isRefreshed
        signedUntil = report.signedUntil
        targetsExpireAt = report.targetsExpiry
        rootExpiresAt = report.rootExpiry
        self.crontab = crontab
    }

    var lines: [String] {
        let date = Timestamp.text(signedUntil)
        let done = isRefreshed ? "signed again until \(date)" : "signed until \(date), and isn't due yet"
        return ["\(Printable.line(feed)) is \(done)", "each day, with cron:", "  \(crontab)"]
    }
}
