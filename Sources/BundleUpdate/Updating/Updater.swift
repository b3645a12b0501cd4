import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Brings bundles to the highest version that their feeds offer. Thread-safe.
public struct Updater: Sendable {
    let store: BundleStore
    let permits: UpdatePermits
    let installer: Installer
    private let configuration: Configuration
    let document: OriginDocument

    /// The same as a person asks for it: at once, whatever has failed before. What it fetches and installs takes turns with
    /// what this one does.
    package var attended: Updater {
        var configuration = configuration
        configuration.isScheduled = false
        return Updater(store, installer, permits, document, configuration)
    }

    private init(
        _ store: BundleStore,
        _ installer: Installer,
        _ permits: UpdatePermits,
        _ document: OriginDocument,
        _ configuration: Configuration
    ) {
        (self.store, self.installer, self.permits, self.document) = (store, installer, permits, document)
        self.configuration = configuration
    }

    /// - Parameters:
    ///   - store: The store that holds the bundles.
    ///   - installer: Installs into the same store.
    ///   - transport: The network.
    ///   - configuration: How it works.
    public init(
        _ store: BundleStore,
        installer: Installer,
        transport: any OriginTransport,
        configuration: Configuration = Configuration()
    ) {
        self.init(store, installer: installer, transport: transport, configuration, clock: ContinuousClock())
    }

    /// As above.
    ///
    /// - Parameter clock: Measures transfers.
    package init(
        _ store: BundleStore,
        installer: Installer,
        transport: any OriginTransport,
        _ configuration: Configuration,
        clock: any Clock<Duration>
    ) {
        let permits = UpdatePermits()
        let document = OriginDocument(
            transport: transport,
            userAgent: configuration.userAgent,
            credentials: configuration.credentials,
            limits: configuration.transfers,
            permits: permits,
            clock: clock
        )
        self.init(store, installer, permits, document, configuration)
    }

    /// Reads the feed of a bundle. The outcome is recorded, see ``/BundleStore/BundleStore/updateState(of:)``.
    ///
    /// - Parameters:
    ///   - name: An installed bundle.
    ///   - feed: The feed's URL; nil for the one that the manifest names.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle or it has no
    ///   feed, `networkUnavailable` when the feed can't be fetched, `invalidFeed` when it is wrong or another bundle's;
    ///   ``UpdatePostponement`` when it takes place later.
    public func check(_ name: BundleName, feed: URL? = nil) async throws -> UpdateCheck {
        try store.refresh()
        store.judgeProbations()
        return try await recordingOutcome(of: name) {
            let check = try await readFeed(name, feed).check
            return (check, check.decision.failure)
        }
    }

    /// Updates a bundle: downloads, verifies, installs and activates a release, and in the same step drops what was
    /// cached under the old version. Until the activation, and after a failure, the old version stays active. A release
    /// that the store has already is only activated.
    ///
    /// - Parameters:
    ///   - name: An installed bundle.
    ///   - feed: The feed's URL; nil for the one that the manifest names.
    ///   - options: How the archive is read, and whether to wait for another process that works on the bundle. Its
    ///     identity and activation are ignored.
    ///   - progress: Called periodically with the bytes that are done, half of which are for fetching, half for
    ///     installing. When a plan fails, it starts again with the next one.
    ///   - willFetch: Called with a release that is an update, before anything of it is fetched. An error thrown by it
    ///     ends the update, and is recorded like any failure.
    /// - Throws: As ``check(_:feed:)`` and ``/BundleInstall/Installer/install(archive:options:progress:)`` do;
    ///   `invalidFeed` also when the archive isn't the advertised one. The cause is ``RefusedRelease`` when the archive
    ///   was fetched and can't be used.
    public func update(
        _ name: BundleName,
        feed: URL? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in },
        willFetch: (FeedRelease) throws -> Void = { _ in }
    ) async throws -> UpdateResult {
        let lock = try await lock(name, waits: options.waits)
        defer { withExtendedLifetime(lock) {} }
        try store.refresh()
        store.judgeProbations()
        return try await recordingOutcome(of: name) {
            let (feed, check) = try await readFeed(name, feed)
            removeDownloads(of: feed)
            guard let release = check.available else { return (.upToDate(check), check.decision.failure) }
            guard configuration.fetches || present(release, of: name) != nil else { return (.available(check), nil) }
            let mode = check.withdrawal == nil ? configuration.activation : .now
            let basis = UpdateBasis(check, in: store)
            let (report, delivery) = try await take(release, on: basis, mode, options, progress, willFetch)
            if mode != .now {
                let isNew = try store.setPending(name, release.version, mode, waits: options.waits) { bundle in
                    try basis.check(bundle, taking: release.version)
                }
                return (isNew ? .pending(check, report, delivery) : .upToDate(check), nil)
            }
            // A rollback mustn't lead to it.
            if let revoked = check.decision.revokedActive { try? store.leave(name, revoked) }
            return (.updated(check, report, delivery), nil)
        }
    }

    func lock(_ name: BundleName, waits: Bool) async throws -> UpdateLock {
        guard waits else {
            do {
                return try store.lockUpdate(of: name)
            } catch let error as BundleError where error.code == .storeBusy && configuration.isScheduled {
                throw UpdatePostponement.busy
            }
        }
        // Others are updated meanwhile.
        return try await withTaskExecutorPreference(BlockingExecutor()) { try store.lockUpdate(of: name, waits: true) }
    }

    private func readFeed(_ name: BundleName, _ feed: URL?) async throws -> (feed: Feed, check: UpdateCheck) {
        let bundle = try store.bundle(name)
        let chosen = try store.updateState(of: name)?.chosenFeed
        guard let manifest = bundle.current?.manifest,
            let url = feed ?? (chosen?.url ?? manifest.feed).flatMap(URL.init(string:))
        else {
            throw BundleError(.invalidArgument, "bundle \(name) has no feed", .nameFeed)
        }
        let source = FeedSource(
            store: store,
            // Manifests come over the network: they name no files.
            document: document.reading(feed != nil || chosen != nil ? place(of: url) : nil)
        )
        let feed = try await source.latest(of: name, at: url, isScheduled: configuration.isScheduled)
        let channel = chosen?.channel ?? manifest.channel
        // The feed may have taken its time.
        try store.refresh()
        let active = try store.bundle(name).activeVersion
        return (feed, try check(feed, active: active, from: url.absoluteString, channel: channel))
    }

    /// Where the files are that a feed of an operator names, if it is one itself.
    func place(of feed: URL) -> FolderPlace? { configuration.readsFolders ? FolderPlace(of: feed) : nil }

    /// Asks the policy, and remembers the feed's sequence number.
    ///
    /// - Parameters:
    ///   - active: The bundle's active version; nil when none is, or the bundle isn't installed.
    ///   - url: The URL at which the feed was asked for.
    func check(
        _ feed: Feed,
        active: BundleVersion?,
        from url: String,
        channel: String
    ) throws -> UpdateCheck {
        let name = feed.name
        let state = try store.updateState(of: name)
        var seen = try store.highestSequence(of: name, feed: url)
        if configuration.acceptsOlderFeeds, let rejection = UpdatePolicy.rejection(of: feed, seen: seen) {
            try store.forgetSequence(of: name, feed: url)
            journal(accepted: rejection, of: name)
            seen = nil
        }
        let decision = UpdatePolicy.decide(
            installed: InstalledState(
                active: active,
                channel: channel,
                held: state?.heldVersion,
                isOnHold: state?.isOnHold ?? false,
                failures: try store.failedReleases(of: name),
                highestSequence: seen
            ),
            feed: feed,
            // A store that can't be written has no place of its own yet, and can't be updated either.
            device: DeviceState(
                cohort: (try? store.installationIdentifier()).map { Cohort(of: $0, for: name) },
                shell: configuration.shellVersion
            ),
            now: store.now()
        )
        if let sequence = feed.sequence, sequence > seen ?? 0 {
            try? store.recordSequence(sequence, of: name, feed: url)
        }
        let check = UpdateCheck(
            name: name,
            local: active,
            held: state?.heldVersion,
            isOnHold: state?.isOnHold ?? false,
            feed: url,
            decision: decision
        )
        journal(check)
        // What mustn't be used any more ends at once, for all processes, and not with the update.
        if decision.feedRejection == nil {
            try? store.setWithdrawals(withdrawals(of: name, by: decision), of: name)
            try? store.leaveRevoked(Set(feed.releases.filter(\.terms.isRevoked).map(\.version.string)), of: name)
        }
        journal(choiceOf: check)
        return check
    }

    private func withdrawals(of name: BundleName, by decision: UpdateDecision) -> [Withdrawal] {
        let bundle = store.snapshot.bundles[name]
        let versions = bundle.map { $0.releases.map(\.version) + [$0.activeVersion].compactMap(\.self) } ?? []
        return Dictionary(versions.map { ($0.string, $0) }, uniquingKeysWith: { first, _ in first }).values
            .compactMap(decision.withdrawal)
    }

    /// Installs a release, unless what was decided no longer holds by then.
    func take(
        _ release: FeedRelease,
        on basis: UpdateBasis,
        _ mode: ActivationMode,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void,
        _ willFetch: (FeedRelease) throws -> Void = { _ in }
    ) async throws -> (InstallReport, DeliveryReport?) {
        let name = basis.name
        if let report = try activate(release, on: basis, mode, waits: options.waits) { return (report, nil) }
        let isMetered = FileURL(release.source) == nil && configuration.isMetered()
        let plans = PlanKind.allCases.filter {
            configuration.onMetered.permitsFetching(isPatch: $0 == .patch, isMetered: isMetered)
        }
        var options = options
        options.activates = mode == .now
        let received = ByteCounter()
        return try await PacedFetch(
            store: store,
            name: name,
            subject: .release(release.digest),
            isScheduled: configuration.isScheduled
        )
        .run(
            postponement: { .releaseBackingOff(release.version, until: $0) },
            pauses: {
                FetchBackoff.pauses(afterRelease: $0, at: release.source, hasReceived: received.count > 0)
            }
        ) {
            try willFetch(release)
            return try await fetch(release, on: basis, by: plans, received, options, progress)
        }
    }

    /// The release as the store has it; nil unless it is whole.
    private func present(_ release: FeedRelease, of name: BundleName) -> Release? {
        store.snapshot.bundles[name]?.release(release.version).flatMap { $0.lacksContents ? nil : $0 }
    }

    /// Activates a release that the store has whole, if the time for that is now; returns nil when the store hasn't.
    private func activate(
        _ release: FeedRelease,
        on basis: UpdateBasis,
        _ mode: ActivationMode,
        waits: Bool
    ) throws -> InstallReport? {
        let name = basis.name
        guard let installed = present(release, of: name) else { return nil }
        if let contents = release.contents, installed.filesDigest() != contents.filesDigest {
            throw BundleError(
                .versionConflict,
                "\(name)@\(release.version) is installed with other content than its feed offers",
                .replaceRelease
            )
        }
        if mode == .now {
            try store.activateUpdate(name, installed.version, waits: waits) { bundle in
                try basis.check(bundle, taking: release.version)
            }
        }
        return InstallReport(present: installed, mode == .now ? .activated : .unchanged)
    }

    private func fetch(
        _ release: FeedRelease,
        on basis: UpdateBasis,
        by plans: [PlanKind],
        _ received: ByteCounter,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws -> (InstallReport, DeliveryReport?) {
        let name = basis.name
        var options = try self.options(options, for: release, of: name)
        options.precondition = { bundle in try basis.check(bundle, taking: release.version) }
        let delivery = ReleaseDelivery(
            release,
            of: name,
            to: store,
            installer: installer,
            document: document.reading(basis.feed.flatMap(place)),
            received: received,
            options: options,
            plans: plans,
            isFollowed: basis.isFollowed,
            sharesContents: configuration.sharesContents,
            permits: permits,
            progress: progress,
            didFetch: { report in
                journal(fetched: release, of: name, report)
                try store.refresh()
                try basis.check(store.snapshot.bundles[name], taking: release.version)
            }
        )
        do {
            // Fetching and installing keep writing to the disk.
            return try await withTaskExecutorPreference(BlockingExecutor()) { try await delivery.run() }
        } catch let error as BundleError {
            if let refused = error.cause as? RefusedRelease, refused.isFinal {
                try? store.recordFailure(of: name, release.version, release.digest, reason: error.message)
            }
            throw error
        }
    }

    /// Removes what was downloaded of releases that are installed: a process that ended between the installation and the
    /// removal of its download has left it behind.
    private func removeDownloads(of feed: Feed) {
        guard let bundle = store.snapshot.bundles[feed.name] else { return }
        for release in feed.releases where bundle.release(release.version) != nil {
            store.removeDownloads(of: release, for: feed.name)
        }
    }

    private func options(
        _ options: InstallOptions,
        for release: FeedRelease,
        of name: BundleName
    ) throws -> InstallOptions {
        var options = options
        options.replaces = false
        // Only the operator may let a bundle take another bundle's URLs.
        options.permittedOverlaps = []
        options.expected = (name, release.version)
        // For an archive without a manifest: the rules of the installation, or of a first one the feed's own words.
        let current = store.snapshot.bundles[name]?.current?.manifest.with(version: release.version)
        options.manifest = try current ?? BundleManifest(name: name, version: release.version, origins: [])
        return options
    }

    /// - Parameter body: Returns the result, and why it isn't as it should be.
    private func recordingOutcome<Result>(
        of name: BundleName,
        _ body: () async throws -> (Result, failure: String?)
    ) async throws -> Result {
        do {
            let (result, failure) = try await body()
            // The update has succeeded even if it can't be recorded.
            let earlier = try? store.updateState(of: name)?.lastFailure
            try? store.recordCheck(of: name, failure: failure)
            if let failure { journal(failureOf: name, failure) } else if earlier != nil { journal(recoveryOf: name) }
            return result
        } catch {
            // A cancellation or a postponement says nothing about the feed.
            if !(error is CancellationError || error is UpdatePostponement) {
                try? store.recordCheck(of: name, failure: "\(error)")
                journal(failureOf: name, "\(error)", error)
            }
            throw error
        }
    }
}
