import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate

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
