import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleStore
import BundleTransport
import BundleUpdate

struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Update bundles to the highest version that their feeds offer.",
        discussion: """
            Each update is downloaded, verified, installed and activated; until then, and after a failure, the old \
            version is served. Nothing is printed when there is nothing new. Bundles are updated side by side: one \
            that fails or hangs neither prevents nor delays the updates of others; the failure of the first by name \
            determines the exit status. Then what the manifests name as \
            “precache” is fetched, for up to five minutes; what fails there changes no exit status, and is tried again by \
            a later update, check or a server. A release that is installed already is only activated. One whose archive \
            was fetched before and can't be used isn't fetched again, unless --retry is given. A feed that is older than one \
            seen, and an active release that its publisher has revoked, with nothing in its place, count as failures.

            Example, for cron:
              */15 * * * * bundlectl update --scheduled --random-delay 5m
            """
    )

    @OptionGroup var feed: FeedOptions

    @Option(
        help: ArgumentHelp("Start after a random delay of at most this: 90s, 5m, 6h, 1d.", valueName: "duration")
    )
    var randomDelay: DurationArgument?

    @Flag(help: "Fetch releases again that failed before.")
    var retry = false

    @Flag(
        help: ArgumentHelp(
            "With --quiet or --scheduled: fail also when a host can't be connected to: its name has no address, there is no "
                + "route, or nothing accepts the connection. Default: that is no failure then."
        )
    )
    var failOffline = false

    @OptionGroup var schedule: ScheduleOptions

    @OptionGroup var shell: ShellOptions

    @OptionGroup(title: "Downloads")
    var transfer: TransferOptions

    @OptionGroup(title: "Downloads")
    var onMetered: MeteredOptions

    @OptionGroup var activation: ActivationOptions

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var precaching: PrecacheOptions

    @Flag(help: "Wait for another process that works on a bundle.")
    var wait = false

    @OptionGroup(title: "Reading the archives")
    var reading: ArchiveOptions

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @OptionGroup(title: "Hooks")
    var hooks: HookOptions

    @OptionGroup var dryRun: DryRunOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await dryRun.using(store) {
            try store.open()
        } _: { store in
            let access = try reach.read(warn: output.console.warn)
            guard !dryRun.isOn else { return try await update(store, over: access) }
            try await hooks.observing(store, over: access, warn: Diagnostics.warn) {
                try await update(store, over: access)
            }
        }
    }

    private func update(_ store: BundleStore, over access: NetworkAccess) async throws {
        let rules = try precaching.networkRules.read(warn: output.console.warn)
        if let randomDelay, !dryRun.isOn { try await Task.sleep(for: randomDelay.duration * Double.random(in: 0...1)) }
        if retry { try (feed.selection ?? Set(store.snapshot.bundles.keys)).forEach(store.forgetFailures) }
        var configuration = Updater.Configuration(
            shell,
            activation: activation.activate,
            isScheduled: schedule.isScheduled,
            acceptsOlderFeeds: feed.acceptOlderFeed
        )
        .downloading(transfer, onMetered, precaching.networkRules, in: store)
        configuration.fetches = !dryRun.isOn
        let outcomes = try await store.updating(configuration, over: access, updateAll)
        let results = outcomes.compactMap { try? $0.result?.get() }
        let updated = Set(results.compactMap(\.updatedName))
        let pruned = dryRun.isOn ? [] : retention.apply(to: updated, in: store, waits: wait, console: output.console)
        let ahead =
            dryRun.isOn
            ? []
            : await precaching.run(feed.selection, in: store, by: rules, over: access, within: .seconds(300))
        try dryRun.report(
            UpdateSummary(
                bundles: outcomes.map(UpdateSummary.Entry.init),
                quotaRemoval: results.map(\.quotaRemoval).reduce(QuotaRemoval(), +),
                pruned: pruned,
                precache: ahead
            ),
            to: output.console
        )
        if let failure = outcomes.filter(isReported).firstFailure() { throw EarlyEnd(status: ExitStatus(failure)) }
    }

    /// Being offline is no news to a clock, nor to who wants errors only.
    private func isReported(_ outcome: FeedOutcome<UpdateResult>) -> Bool {
        guard output.quiet || schedule.isScheduled, !failOffline else { return true }
        return (outcome.failure as? BundleError)?.isOffline != true
    }

    private var options: InstallOptions {
        var options = InstallOptions()
        reading.apply(to: &options)
        options.keepsPrevious = retention.keep > 0
        options.waits = wait
        return options
    }

    private func updateAll(with updater: Updater) async throws -> [FeedOutcome<UpdateResult>] {
        try await output.console.showingProgress("updating") { bar in
            try await updater.updateAll(
                feed.selection,
                feeds: feed.feeds,
                options: options,
                progress: { bar.update($1, of: $0.string) },
                onOutcome: { outcome in
                    bar.finish(outcome.name.string)
                    if isReported(outcome) { outcome.reportFailure() }
                    if !schedule.isScheduled { outcome.reportPostponement() }
                }
            )
        }
    }
}

/// The result of `update`.
struct UpdateSummary: Report {
    /// The result for a bundle.
    enum Outcome: String, Encodable {
        case updated, pending, upToDate, noFeed, postponed, failed
    }

    /// One bundle.
    struct Entry: Encodable {
        let name: String
        let outcome: Outcome
        /// The version that was active.
        let from: String?
        /// The version that is active now, or becomes active later; nil after a failure, or when it takes place later.
        let to: String?
        let newByteCount: Int64?
        /// How it was fetched; nil when nothing had to be.
        var plan: String?
        var predictedByteCount: Int64?
        var receivedByteCount: Int64?
        /// The plans that failed before; nil when there is none.
        var failedPlans: [FailedPlan]?
        /// True when the publisher has revoked the active release, and offers nothing in its place; otherwise nil.
        var isRevoked: Bool?
        let error: String?
        /// Why it takes place later.
        var postponement: String?
    }

    /// A plan that came to nothing.
    struct FailedPlan: Encodable {
        let plan: String
        let reason: String
    }

    let bundles: [Entry]
    /// Nil when there is none.
    let removed: [RemovedVersion]?
    /// Nil when there is none.
    let droppedResponseCount: Int?
    /// Nil when no manifest names anything to fetch ahead.
    let precache: [PrecacheSummary]?
    private let removalLines: [String]

    private enum CodingKeys: CodingKey {
        case bundles, removed, droppedResponseCount, precache
    }

    /// - Parameters:
    ///   - quotaRemoval: What the installations removed.
    ///   - pruned: What the subsequent pruning has removed.
    ///   - ahead: What was fetched ahead afterwards.
    init(
        bundles: [Entry],
        quotaRemoval: QuotaRemoval = QuotaRemoval(),
        pruned: [RemovedRelease] = [],
        precache ahead: [PrecacheReport] = []
    ) {
        precache = ahead.isEmpty ? nil : ahead.map(PrecacheSummary.init)
        self.bundles = bundles
        let removed = (quotaRemoval.releases + pruned).map(RemovedVersion.init)
        self.removed = removed.isEmpty ? nil : removed
        droppedResponseCount = quotaRemoval.responseCount > 0 ? quotaRemoval.responseCount : nil
        removalLines = quotaRemoval.responseLines + removed.map(\.line)
    }

    private var precacheLines: [String] {
        let updated = Set(bundles.filter { $0.outcome == .updated }.map(\.name))
        return (precache ?? []).filter { $0.fetchedCount > 0 || updated.contains($0.name) }.map(\.line)
    }

    /// Bundles that are up to date aren't listed, nor is what was fetched ahead earlier.
    var lines: [String] {
        bundles.compactMap(\.line) + removalLines + precacheLines
    }
}

extension UpdateSummary.Entry {
    /// Nil when nothing has changed.
    fileprivate var line: String? {
        let new = ByteCount.text(newByteCount ?? 0)
        return switch outcome {
        case .updated where newByteCount == nil:
            "updated \(name): \(from ?? "none") to \(to ?? "none") (\(ByteCount.text(predictedByteCount ?? 0)) to fetch at most)"
        case .updated: "updated \(name): \(from ?? "none") to \(to ?? "none") (\(new) new\(fetching))"
        case .pending: "installed \(name)@\(to ?? "none") (\(new) new\(fetching)), which becomes active later"
        default: nil
        }
    }

    init(_ outcome: FeedOutcome<UpdateResult>) {
        switch outcome.result {
        case .success(.upToDate(let check)) where check.decision.feedRejection != nil:
            self.init(outcome.bundle, .failed, error: check.problem)
        case .success(.upToDate(let check)):
            self.init(check.name, .upToDate, from: check.local, to: check.local)
            if check.isRevoked { isRevoked = true }
        case .success(.updated(let check, let report, let delivery)):
            self.init(
                check.name,
                .updated,
                from: check.local,
                to: report.version,
                newByteCount: report.newByteCount,
                delivery: delivery
            )
        case .success(.pending(let check, let report, let delivery)):
            self.init(
                check.name,
                .pending,
                from: check.local,
                to: report.version,
                newByteCount: report.newByteCount,
                delivery: delivery
            )
        // What a dry run would have updated.
        case .success(.available(let check)):
            self.init(
                check.name,
                .updated,
                from: check.local,
                to: check.available?.version,
                predictedByteCount: check.available?.size
            )
        case .failure(let postponement as UpdatePostponement):
            self.init(outcome.bundle, .postponed)
            self.postponement = postponement.code
        case .failure(let error): self.init(outcome.bundle, .failed, error: error)
        case nil: self.init(outcome.bundle, .noFeed)
        }
    }

    /// What is said of the fetching, behind the number of new bytes.
    fileprivate var fetching: String {
        guard let plan, let receivedByteCount else { return "" }
        return "; \(plan), \(ByteCount.text(receivedByteCount)) fetched"
    }

    private init(_ bundle: InstalledBundle, _ outcome: UpdateSummary.Outcome, error: (any Error)? = nil) {
        let active = bundle.activeVersion
        self.init(bundle.name, outcome, from: active, to: outcome == .noFeed ? active : nil, error: error)
    }

    private init(
        _ name: BundleName,
        _ outcome: UpdateSummary.Outcome,
        from: BundleVersion?,
        to: BundleVersion?,
        newByteCount: UInt64? = nil,
        predictedByteCount: Int64? = nil,
        delivery: DeliveryReport? = nil,
        error: (any Error)? = nil
    ) {
        self.init(
            name: name.string,
            outcome: outcome,
            from: from?.string,
            to: to?.string,
            newByteCount: newByteCount.map { Int64(clamping: $0) },
            plan: delivery?.plan.rawValue,
            predictedByteCount: predictedByteCount ?? delivery?.predictedByteCount,
            receivedByteCount: delivery?.receivedByteCount,
            failedPlans: delivery.flatMap { report in
                report.failures.isEmpty
                    ? nil
                    : report.failures.map { UpdateSummary.FailedPlan(plan: $0.plan.rawValue, reason: $0.reason) }
            },
            error: error.map(Advice.line)
        )
    }
}
