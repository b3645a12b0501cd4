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

            With --explain each release of a feed is listed, with the reason why it isn't an update, and the roles and keys that \
            vouch for a signed feed. A signature of which half of the life is over is told on standard error.

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

    @OptionGroup(title: "Telemetry")
    var telemetry: TelemetryOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        let access = try reach.read(warn: output.console.warn)
        try await telemetry.pushing(store, over: access, warn: Diagnostics.warn) {
            try await hooks.observing(store, over: access, warn: Diagnostics.warn) {
                try await check(store, over: access)
            }
        }
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
        let entries = outcomes.map { outcome in
            CheckSummary.Entry(
                outcome,
                explains: explain,
                trust: (try? outcome.trustReport(in: store)) ?? nil
            )
        }
        // A failure says itself that a signature has expired.
        output.console.warn(entries.filter { $0.report.state != .failed }.flatMap { $0.warnings ?? [] })
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
        /// By what the feed is trusted; nil unless that is asked for.
        var trust: TrustReport?
        /// SHA-256 of the root by which the feed is trusted once something of it is installed; nil unless that is asked for.
        var offeredRoot: String?
        /// The signatures of which half of the life is over; nil for none.
        var warnings: [String]?

        private enum CodingKeys: CodingKey {
            case explanation, trust, offeredRoot, warnings
        }

        func encode(to encoder: any Encoder) throws {
            try report.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(explanation, forKey: .explanation)
            try container.encodeIfPresent(trust, forKey: .trust)
            try container.encodeIfPresent(offeredRoot, forKey: .offeredRoot)
            try container.encodeIfPresent(warnings, forKey: .warnings)
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
        bundles.flatMap { entry in
            (entry.report.line.map { [$0] } ?? []) + entry.trustLines + (entry.explanation?.lines ?? [])
        }
    }
}

extension CheckSummary.Entry {
    /// - Parameters:
    ///   - explains: Whether each release of the feed is listed, and who vouches for it.
    ///   - trust: By what the feed is trusted after the check; nil when it needn't be signed.
    init(_ outcome: FeedOutcome<UpdateCheck>, explains: Bool, trust: TrustReport? = nil) {
        report = CheckReport(outcome, message: Advice.line)
        let due = trust?.warnings.map { "\($0.problem); \($0.remedy)" } ?? []
        warnings = due.isEmpty ? nil : due
        guard explains else { return }
        self.trust = trust
        guard case .success(let check) = outcome.result else { return }
        explanation = UpdateExplanation(check.decision)
        offeredRoot = check.isPinnedLater ? check.root?.hex : nil
    }

    /// Who vouches for the feed.
    fileprivate var trustLines: [String] {
        if let trust {
            return [
                "  trusted by the root sha256:\(trust.root)\(trust.isPinned ? ", which came with the feed" : "")",
                "  signed by \(Printable.line(trust.signers))\(trust.expires.map { ", until \(Timestamp.text($0))" } ?? "")",
            ]
        }
        return offeredRoot.map {
            ["  signed by the root sha256:\($0), which is trusted once something of the feed is installed"]
        } ?? []
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
        /// A group that it is offered to, and that this installation is in; nil for none.
        let group: String?
        let isChosen: Bool
        let rejection: Rejection?

        fileprivate var remark: String {
            let words = [group.map { "for group \(Printable.line($0))" }, isCritical ? "critical" : nil].compactMap(
                \.self
            )
            return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
        }
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
                group: candidate.group,
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
                .left("DECISION") { ($0.rejection?.reason ?? "chosen") + $0.remark },
            ]
        )
    }
}
