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
        let configuration = Updater.Configuration(
            shell,
            isScheduled: schedule.isScheduled,
            acceptsOlderFeeds: feed.acceptOlderFeed
        )
        let outcomes = try await store.updating(configuration, over: access) { updater in
            try await updater.checkAll(feed.selection, feeds: feed.feeds) { $0.reportFailure() }
        }
        let entries = outcomes.map { CheckSummary.Entry($0, explains: explain) }
        let ahead = await precaching.run(feed.selection, in: store, by: rules, over: access, within: .seconds(60))
        try output.console.report(CheckSummary(bundles: entries, precache: ahead))
        if entries.contains(where: { $0.state == .updateAvailable }) { throw EarlyEnd(status: .updateAvailable) }
        if let failure = outcomes.firstFailure() { throw EarlyEnd(status: ExitStatus(failure)) }
    }
}

/// The result of `check`.
struct CheckSummary: Report {
    /// What a bundle's feed offers.
    enum State: String, Encodable {
        case upToDate, updateAvailable, noFeed, postponed, failed
    }

    /// One bundle.
    struct Entry: Encodable {
        let name: String
        let state: State
        let active: String?
        let highest: String?
        let available: String?
        let byteCount: Int64?
        let held: String?
        let isOnHold: Bool?
        /// True when the publisher has revoked the active release, and offers nothing in its place; otherwise nil.
        let isRevoked: Bool?
        let error: String?
        /// Why a feed brings no update, or a release of it can't be used.
        var failure: String?
        /// Why the feed is asked later.
        var postponement: String?
        /// Each release of the feed; nil unless that is asked for.
        var explanation: UpdateExplanation?
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
        bundles.flatMap { entry in (entry.line.map { [$0] } ?? []) + (entry.explanation?.lines ?? []) }
    }
}

extension CheckSummary.Entry {
    /// - Parameter explains: Whether each release of the feed is listed.
    init(_ outcome: FeedOutcome<UpdateCheck>, explains: Bool) {
        switch outcome.result {
        case .success(let check):
            self.init(check)
            if explains { explanation = UpdateExplanation(check.decision) }
        case .failure(let postponement as UpdatePostponement):
            self.init(outcome.bundle, .postponed)
            self.postponement = postponement.code
        case .failure(let error): self.init(outcome.bundle, .failed, error: error)
        case nil: self.init(outcome.bundle, .noFeed)
        }
    }

    private init(_ check: UpdateCheck) {
        let isUsable = check.decision.feedRejection == nil
        self.init(
            name: check.name.string,
            state: !isUsable ? .failed : check.available == nil ? .upToDate : .updateAvailable,
            active: check.local?.string,
            highest: check.highest?.string,
            available: check.available?.version.string,
            byteCount: check.available?.size,
            held: check.held?.string,
            isOnHold: check.isOnHold ? true : nil,
            isRevoked: check.isRevoked ? true : nil,
            error: isUsable ? nil : check.problem.map(Advice.line),
            failure: check.decision.failure.map(Printable.line)
        )
    }

    private init(_ bundle: InstalledBundle, _ state: CheckSummary.State, error: (any Error)? = nil) {
        self.init(
            name: bundle.name.string,
            state: state,
            active: bundle.activeVersion?.string,
            highest: nil,
            available: nil,
            byteCount: nil,
            held: nil,
            isOnHold: nil,
            isRevoked: nil,
            error: error.map(Advice.line)
        )
    }

    /// Nil when the error was told already.
    fileprivate var line: String? {
        let start = "\(name) \(active ?? "none"): "
        return switch state {
        case .upToDate where isRevoked == true: start + "revoked by its publisher"
        case .upToDate: start + "up to date\(remark)"
        case .updateAvailable: start + "\(available ?? "") is available (\(ByteCount.text(byteCount ?? 0)))"
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
