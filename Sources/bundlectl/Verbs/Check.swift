import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the feeds for updates.",
        discussion: """
            Exits with \(ExitStatus.done.rawValue) when everything is up to date and with \
            \(ExitStatus.updateAvailable.rawValue) when there is an update for any bundle. A feed that fails is \
            reported on standard error; it determines the exit status only when no other bundle has an update. What the \
            manifests name as “precache” and isn't stored yet is fetched, for up to a minute.

            A feed that is older than one seen, and an active release that its publisher has revoked, with nothing in its \
            place, count as failures.

            With --explain each release of a feed is listed, with the reason why it isn't an update.

            Examples:
              bundlectl check --quiet || bundlectl update
              bundlectl check shop --explain
            """
    )

    @OptionGroup var feed: FeedOptions

    @Flag(help: "List each release that a feed offers, and why it isn't chosen.")
    var explain = false

    @OptionGroup var schedule: ScheduleOptions
    @OptionGroup var shell: ShellOptions
    @OptionGroup var precaching: PrecacheOptions

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @OptionGroup(title: "Hooks")
    var hooks: HookOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        let access = try reach.read(warn: output.console.warn)
        try await hooks.observing(store, over: access, warn: Diagnostics.warn) { try await check(store, over: access) }
    }

    private func check(_ store: BundleStore, over access: NetworkAccess) async throws {
        let rules = try precaching.networkRules.read(warn: output.console.warn)
        let selection = try feed.selection(in: store)
        let configuration = Updater.Configuration(
            shell,
            isScheduled: schedule.isScheduled,
            acceptsOlderFeeds: feed.acceptOlderFeed
        )
        let outcomes = try await store.updating(configuration, over: access) { updater in
            try await updater.checkAll(selection.names, feeds: selection.feeds) { $0.reportFailure() }
        }
        let entries = outcomes.map { CheckSummary.Entry($0, explains: explain) }
        let ahead = await precaching.run(selection.names, in: store, by: rules, over: access, within: .seconds(60))
        try output.console.report(CheckSummary(bundles: entries, precache: ahead))
        if entries.contains(where: { $0.report.state == .updateAvailable }) { throw EarlyEnd(status: .updateAvailable) }
        if let failure = outcomes.firstFailure() { throw EarlyEnd(status: ExitStatus(failure)) }
    }
}

/// The result of `check`.
struct CheckSummary: Report {
    /// One bundle.
    struct Entry: Encodable {
        let report: CheckReport
        /// Each release of the feed; nil unless that is asked for.
        var explanation: UpdateExplanation?

        private enum CodingKeys: CodingKey {
            case explanation
        }

        func encode(to encoder: any Encoder) throws {
            try report.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(explanation, forKey: .explanation)
        }
    }

    let bundles: [Entry]
    /// Nil when no manifest names anything to fetch ahead.
    let precache: [PrecacheSummary]?

    init(bundles: [Entry], precache ahead: [PrecacheReport] = []) {
        self.bundles = bundles
        precache = ahead.isEmpty ? nil : ahead.map(PrecacheSummary.init)
    }

    var lines: [String] { feedLines + (precache ?? []).filter { $0.fetchedCount > 0 }.map(\.line) }

    private var feedLines: [String] {
        bundles.flatMap { entry in (entry.report.line.map { [$0] } ?? []) + (entry.explanation?.lines ?? []) }
    }
}

extension CheckSummary.Entry {
    /// - Parameter explains: Whether each release of the feed is listed.
    init(_ outcome: FeedOutcome<UpdateCheck>, explains: Bool) {
        report = CheckReport(outcome, message: Advice.line)
        if explains, case .success(let check) = outcome.result { explanation = UpdateExplanation(check.decision) }
    }
}

extension CheckReport {
    /// Nil when the error was told already.
    fileprivate var line: String? {
        let start = "\(name) \(active?.string ?? "none"): "
        return switch state {
        case .upToDate where isRevoked == true: start + "revoked by its publisher"
        case .upToDate: start + "up to date\(remark)"
        case .updateAvailable: start + "\(available?.string ?? "") is available (\(ByteCount.text(byteCount ?? 0)))"
        case .noFeed: start + "has no feed"
        case .postponed: start + "not asked now"
        case .failed: nil
        }
    }

    /// Why a higher version isn't installed.
    private var remark: String {
        if isOnHold == true { return " (on hold)" }
        if let failure { return " (\(failure))" }
        return held.map { " (held back; only a version above \($0) is taken)" } ?? ""
    }
}

/// What `check --explain` says of a feed: exactly what the policy has returned.
struct UpdateExplanation: Encodable {
    /// A release of the feed.
    struct Candidate: Encodable {
        let version: String
        let byteCount: Int64
        let isCritical: Bool
        let notes: String?
        let isChosen: Bool
        let rejection: Rejection?
    }

    /// Why a release isn't chosen.
    struct Rejection: Encodable {
        let code: String
        let reason: String

        init(_ rejection: UpdateRejection) {
            code = rejection.code
            reason = rejection.description
        }
    }

    let decidedAt: Date
    /// Why the feed as a whole isn't used.
    let feed: Rejection?
    let chosen: String?
    let candidates: [Candidate]

    init(_ decision: UpdateDecision) {
        decidedAt = decision.date
        feed = decision.feedRejection.map(Rejection.init)
        chosen = decision.choice?.version.string
        candidates = decision.candidates.map { candidate in
            Candidate(
                version: candidate.release.version.string,
                byteCount: candidate.release.size,
                isCritical: candidate.release.terms.isCritical,
                notes: candidate.release.terms.notes,
                isChosen: candidate.rejection == nil,
                rejection: candidate.rejection.map(Rejection.init)
            )
        }
    }

    /// A line for each release, the highest version first.
    var lines: [String] {
        guard !candidates.isEmpty else { return ["  the feed offers nothing"] }
        return Table.lines(
            of: candidates,
            [
                .left("  VERSION") { "  \($0.version)" }, .right("SIZE") { ByteCount.text($0.byteCount) },
                .left("DECISION") { ($0.rejection?.reason ?? "chosen") + ($0.isCritical ? " (critical)" : "") },
            ]
        )
    }
}
