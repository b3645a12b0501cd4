import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

struct FeedAdvance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract:
            "Offer a release to more installations while it works on those that have it, and revoke it if it doesn't.",
        discussion: """
            For cron. A server with Prometheus' HTTP API is asked how many installations have had the release, and on how many of them it is \
            bad, by the metrics of “serve” and “update --telemetry”. The share goes up to the next step once it has held for --soak, and \
            --least installations have had the release; where it is bad on over --max-bad of them, it is revoked. Where nothing is known, the \
            share stays. The feed alone keeps what has been done.

            Exits with \(ExitStatus.noEvidence.rawValue) when the server can't be asked or knows nothing of the release after the soak, and with \
            \(ExitStatus.problemFound.rawValue) when the release is bad; each is told on standard error, and with --quiet nothing else is \
            printed.

            Example:
              */10 * * * * bundlectl feed advance shop@1.2.0 --health http://metrics:9090 --in /srv/www/releases --quiet
            """
    )

    @Argument(help: ArgumentHelp("The release.", valueName: "name@version"))
    var release: ReleaseName

    @Option(help: ArgumentHelp("Where the API is: what stands before /api/v1.", valueName: "api-url"))
    var health: HealthURL

    @Option(help: ArgumentHelp("The shares of the installations, in percent.", valueName: "percents"))
    var steps = RolloutSteps(shares: [1, 10, 50, 100].compactMap(Rollout.init(percent:)))

    @Option(help: ArgumentHelp("How long each share holds at least: 30m, 1h, 1d.", valueName: "duration"))
    var soak = DurationArgument(seconds: 3_600)

    @Option(
        help: ArgumentHelp("The most of the installations on which it may be bad. Default: 2%.", valueName: "percent")
    )
    var maxBad: Rollout?

    @Option(help: ArgumentHelp("How many installations must have had it before their share counts.", valueName: "n"))
    var least = 30

    @Flag(help: "Never revoke it: where it is bad, the share stays.")
    var holdOnly = false

    @Option(
        help: ArgumentHelp(
            "How many installations have had the release, in PromQL, in place of the package's own query.",
            valueName: "query"
        )
    )
    var queryActive: String?

    @Option(
        help: ArgumentHelp("On how many of them it is bad, in PromQL; 0 where that is so.", valueName: "query")
    )
    var queryBad: String?

    @OptionGroup var feed: FeedFolderOptions
    @OptionGroup var signing: SigningOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if least < 1 { throw ValidationError(least, of: "--least", mustBe: "1 or more", suchAs: "30") }
    }

    func run() async throws {
        let evidence = try await evidence(feed.access.reach.read(warn: output.console.warn))
        let keys = try signing.signingKeys()
        let (decision, summary) = try await feed.using(output) { folder in
            let terms = try folder.read(release.name).entries.offering(release.version).terms
            let offer = RolloutGate.Offer(share: terms.rollout, since: terms.rolloutSince, isRevoked: terms.isRevoked)
            let decision = gate.decide(offer, evidence, at: Date())
            let report = try change(from: terms.rollout, decision).map {
                try folder.change(release.name, $0, signing: keys)
            }
            let summary = AdvanceSummary(
                release,
                at: folder.feedName,
                report?.changed.first { $0.version == release.version }?.terms ?? terms,
                gate,
                evidence,
                decision,
                signedUntil: report?.signedUntil
            )
            return (decision, summary)
        }
        try output.console.report(summary)
        guard let status = decision.status else { return }
        Diagnostics.report(summary.text)
        throw EarlyEnd(status: status)
    }

    private var gate: RolloutGate {
        RolloutGate(
            steps: steps.shares,
            soak: soak.duration / .seconds(1),
            maximumBad: maxBad ?? RolloutGate.defaultMaximumBad,
            least: least,
            holdsOnly: holdOnly
        )
    }

    private func evidence(_ access: NetworkAccess) async throws -> RolloutGate.Evidence {
        var queries = ReleaseHealth(of: release)
        if let queryActive { queries.active = queryActive }
        if let queryBad { queries.bad = queryBad }
        return try await access.withTransport { [queries] transport in
            try await queries.evidence(
                from: PrometheusAPI(
                    url: health.string,
                    transport: transport,
                    clock: ContinuousClock(),
                    credentials: access.credentials
                )
            )
        }
    }

    /// What becomes of the feed; nil when it stays as it is.
    private func change(from share: Rollout, _ decision: RolloutGate.Decision) -> FeedChange? {
        switch decision {
        case .raise(let next): .advance(release.version, from: share, to: next)
        case .hold(.startsNow): .advance(release.version, from: share, to: share)
        case .revoke: .revoke(release.version)
        case .hold, .done: nil
        }
    }
}

extension RolloutGate.Decision {
    /// The status that cron's mail is for; nil when all is as it should be.
    fileprivate var status: ExitStatus? {
        switch self {
        case .hold(.noEvidence): .noEvidence
        case .revoke, .hold(.bad), .hold(.revoked): .problemFound
        case .raise, .hold, .done: nil
        }
    }

    /// Words for programs: what was done, and why a share stays.
    fileprivate var code: (decision: String, reason: String?) {
        switch self {
        case .raise: ("raised", nil)
        case .revoke: ("revoked", nil)
        case .done: ("done", nil)
        case .hold(.soaking): ("held", "soaking")
        case .hold(.startsNow): ("held", "startsNow")
        case .hold(.fewInstallations): ("held", "fewInstallations")
        case .hold(.noEvidence): ("held", "noEvidence")
        case .hold(.bad): ("held", "bad")
        case .hold(.revoked): ("held", "revoked")
        }
    }
}

/// The result of `feed advance`.
struct AdvanceSummary: Report {
    let name: String
    let version: String
    let feed: String
    /// `raised`, `held`, `revoked` or `done`.
    let decision: String
    /// Why the share stays; nil when it doesn't.
    let reason: String?
    /// All of it in words.
    let text: String
    /// The share of the installations now, in percent.
    let rollout: Double
    /// Since when; nil for all installations.
    let rolloutSince: Date?
    /// Until when the share holds in any case; nil when that time is over.
    let soaksUntil: Date?
    /// How many installations have had the release, and on how many it is bad; nil when that isn't known.
    let active: Double?, bad: Double?
    /// Nil for a feed that isn't signed, or hasn't changed.
    let signedUntil: Date?
    private let isProblem: Bool

    private enum CodingKeys: CodingKey {
        case name, version, feed, decision, reason, text, rollout, rolloutSince, soaksUntil, active, bad, signedUntil
    }

    /// - Parameter terms: What the feed says of the release now.
    init(
        _ release: ReleaseName,
        at feed: String,
        _ terms: ReleaseTerms,
        _ gate: RolloutGate,
        _ evidence: RolloutGate.Evidence,
        _ decision: RolloutGate.Decision,
        signedUntil: Date?
    ) {
        (name, version, self.feed) = (release.name.string, release.version.string, feed)
        (self.decision, reason) = decision.code
        (rollout, rolloutSince) = (terms.rollout.percent, terms.rolloutSince)
        if case .hold(.soaking(let until)) = decision { soaksUntil = until } else { soaksUntil = nil }
        if case .counted(let active, let bad) = evidence {
            (self.active, self.bad) = (active, bad)
        } else {
            (active, bad) = (nil, nil)
        }
        self.signedUntil = signedUntil
        isProblem = decision.status != nil
        text = "\(name)@\(version) " + Self.text(terms.rollout, gate, evidence, decision)
    }

    /// A problem is told on standard error.
    var lines: [String] { isProblem ? [] : [text] + (signedUntil.map { ["signed until \(Timestamp.text($0))"] } ?? []) }

    private static func text(
        _ share: Rollout,
        _ gate: RolloutGate,
        _ evidence: RolloutGate.Evidence,
        _ decision: RolloutGate.Decision
    ) -> String {
        let known = counted(evidence)
        switch decision {
        case .raise(let next): return "is offered to \(next) of the installations from now on: \(known)"
        case .revoke: return "is revoked from now on: \(known), and \(gate.maximumBad) are permitted"
        case .done:
            return "is offered to \(share) of the installations, the last step, and nothing is left to do: \(known)"
        case .hold(.revoked): return "was revoked, and isn't advanced any more"
        case .hold(let reason): return "stays at \(share) of the installations: \(text(reason, gate, known))"
        }
    }

    private static func text(_ reason: RolloutGate.Reason, _ gate: RolloutGate, _ known: String) -> String {
        switch reason {
        case .soaking(let until): "until \(Timestamp.text(until)) at least; \(known)"
        case .startsNow: "the feed doesn't say since when, so that the time begins now; \(known)"
        case .fewInstallations: "\(known), and \(gate.least) must"
        case .noEvidence(let why): "it isn't raised without evidence: \(Printable.line(why))"
        case .bad: "\(known), and \(gate.maximumBad) are permitted"
        case .revoked: "it was revoked"
        }
    }

    private static func counted(_ evidence: RolloutGate.Evidence) -> String {
        guard case .counted(let active, let bad) = evidence else { return "nothing is known of those that have it" }
        let share = (bad / max(active, bad, 1) * 10_000).rounded() / 100
        return "\(count(active)) have had it, and it is bad on \(count(bad)) of them (\(count(share))%)"
    }

    /// A query may have fractions.
    private static func count(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? String(number) }
}
