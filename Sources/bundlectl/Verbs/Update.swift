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

            With --from the feeds are read from a stick, as mirror makes it, and no network is needed. What has to be signed has to \
            be signed there too.

            Examples, the second one for cron:
              bundlectl update --from /media/usb
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

    @OptionGroup var trust: TrustOptions

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

    @OptionGroup(title: "Telemetry")
    var telemetry: TelemetryOptions

    @OptionGroup var dryRun: DryRunOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await dryRun.using(store) {
            try store.open()
        } _: { store in
            let access = try reach.read(warn: output.console.warn)
            guard !dryRun.isOn else { return try await update(store, over: access) }
            try await telemetry.pushing(store, over: access, warn: Diagnostics.warn) {
                try await hooks.observing(store, over: access, warn: Diagnostics.warn) {
                    try await update(store, over: access)
                }
            }
        }
    }

    private func update(_ store: BundleStore, over access: NetworkAccess) async throws {
        let rules = try precaching.networkRules.read(warn: output.console.warn)
        let selection = try feed.selection(in: store)
        if let randomDelay, !dryRun.isOn { try await Task.sleep(for: randomDelay.duration * Double.random(in: 0...1)) }
        if retry { try (selection.names ?? Set(store.snapshot.bundles.keys)).forEach(store.forgetFailures) }
        var configuration = Updater.Configuration(
            shell,
            activation: activation.activate,
            isScheduled: schedule.isScheduled,
            acceptsOlderFeeds: feed.acceptOlderFeed,
            trust: trust
        )
        .downloading(transfer, onMetered, precaching.networkRules, in: store)
        configuration.fetches = !dryRun.isOn
        let outcomes = try await store.updating(configuration, over: access) {
            try await updateAll(selection, with: $0)
        }
        let results = outcomes.compactMap(\.value)
        let updated = Set(results.compactMap(\.updatedName))
        let pruned = dryRun.isOn ? [] : retention.apply(to: updated, in: store, waits: wait, console: output.console)
        let ahead =
            dryRun.isOn
            ? []
            : await precaching.run(selection.names, in: store, by: rules, over: access, within: .seconds(300))
        try dryRun.report(
            UpdateSummary(
                bundles: outcomes.map { UpdateReport($0, message: Advice.line) },
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

    private func updateAll(_ selection: FeedSelection, with updater: Updater) async throws -> [FeedOutcome<
        UpdateResult
    >] {
        try await output.console.showingProgress("updating") { bar in
            try await updater.updateAll(
                selection.names,
                feeds: selection.feeds,
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
    let bundles: [UpdateReport]
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
        bundles: [UpdateReport],
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

extension UpdateReport {
    /// Nil when nothing has changed.
    fileprivate var line: String? {
        let new = ByteCount.text(Int64(clamping: newByteCount ?? 0))
        let (from, to) = (from?.string ?? "none", to?.string ?? "none")
        return switch outcome {
        case .updated where newByteCount == nil:
            "updated \(name): \(from) to \(to) (\(ByteCount.text(predictedByteCount ?? 0)) to fetch at most)"
        case .updated: "updated \(name): \(from) to \(to) (\(new) new\(fetching))"
        case .pending: "installed \(name)@\(to) (\(new) new\(fetching)), which becomes active later"
        default: nil
        }
    }

    /// What is said of the fetching, behind the number of new bytes.
    fileprivate var fetching: String {
        guard let plan, let receivedByteCount else { return "" }
        return "; \(plan.rawValue), \(ByteCount.text(receivedByteCount)) fetched"
    }
}
