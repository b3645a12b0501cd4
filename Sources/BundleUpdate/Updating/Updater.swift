import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Brings bundles to the highest version that their feeds offer. Thread-safe.
public struct Updater: Sendable {
    let store: BundleStore
    private let installer: Installer
    private let permits: UpdatePermits
    let document: OriginDocument
    let configuration: Configuration

    /// The same as a person asks for it: at once, whatever has failed before. What it fetches and installs takes turns with
    /// what this one does.
    package var attended: Updater {
        var configuration = configuration
        configuration.isScheduled = false
        return Updater(store, installer, permits, document, configuration)
    }

    /// The same beside the downloads of the system, of which it leaves alone those that have begun. Both take turns.
    package func beside(_ downloads: BackgroundDownloads?) -> Updater {
        var configuration = configuration
        configuration.background = downloads.map { BackgroundHandover(downloads: $0, starts: false) }
        return Updater(store, installer, permits, document, configuration)
    }

    /// The same by a clock while the app is in the background: the system downloads large files. Both take turns.
    ///
    /// - Parameter downloads: Where; nil for nowhere.
    package func inBackground(_ downloads: BackgroundDownloads?) -> Updater {
        var configuration = configuration
        configuration.isScheduled = true
        configuration.background = downloads.map { BackgroundHandover(downloads: $0, starts: true) }
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
            cache: configuration.siteCache,
            clock: clock
        )
        self.init(store, installer, permits, document, configuration)
    }

    /// Reads the feed of a bundle. The outcome is recorded, see ``/BundleStore/BundleStore/updateState(of:)``.
    ///
    /// - Parameters:
    ///   - name: An installed bundle.
    ///   - feed: The feed's URL; nil for the one that the manifest names.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no such bundle, `invalidArgument` when it has no
    ///   feed, `networkUnavailable` when the feed can't be fetched, `invalidFeed` when it is wrong or another bundle's,
    ///   `untrusted` when it isn't signed as it must be; ``UpdatePostponement`` when it takes place later.
    public func check(_ name: BundleName, feed: URL? = nil) async throws -> UpdateCheck {
        try await recordingOutcome(of: name) {
            let (feed, check) = try await readFeed(of: name, feed, installs: false)
            // What waits to be installed is asked for by the next update.
            if check.available == nil { pace(feed, check) }
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
    /// - Throws: As ``check(_:feed:)`` and ``/BundleInstall/Installer/install(archive:options:progress:)`` do;
    ///   `invalidFeed` also when the archive isn't the advertised one. The cause is ``RefusedRelease`` when the archive
    ///   was fetched and can't be used.
    public func update(
        _ name: BundleName,
        feed: URL? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> UpdateResult {
        let lock = try await lock(name, waits: options.waits)
        defer { withExtendedLifetime(lock) {} }
        return try await recordingOutcome(of: name) {
            let (feed, check) = try await readFeed(of: name, feed, installs: true)
            removeDownloads(of: feed)
            guard let release = check.available else {
                await configuration.background?.downloads.end(for: name)
                pace(feed, check)
                return (.upToDate(check), check.decision.failure)
            }
            let mode = check.withdrawal == nil ? configuration.activation : .now
            let installation = try installation(of: release, by: check, mode: mode, options, progress)
            guard configuration.fetches || installation.present != nil else { return (.available(check), nil) }
            let (report, delivery, isNew) = try await installation.run()
            try pin(check.trust, name)
            SignedReleases(store: store).record(feed, by: check.trust)
            pace(feed, check)
            guard isNew else { return (.upToDate(check), nil) }
            return (mode == .now ? .updated(check, report, delivery) : .pending(check, report, delivery), nil)
        }
    }

    /// Installs the archive at a URL that has the given digest. A download that was interrupted is resumed. Where the releases of the bundle
    /// have to be signed, the archive has to be among those that are trusted already.
    ///
    /// - Parameters:
    ///   - url: The archive's URL.
    ///   - digest: The archive's SHA-256: nothing else says that it is the right one.
    ///   - options: As for ``/BundleInstall/Installer/install(archive:options:progress:)``.
    ///   - progress: Called periodically with the bytes of the archive that are done; it counts twice, once for fetching
    ///     and once for installing it.
    /// - Throws: As ``/BundleInstall/Installer/install(archive:options:progress:)``; ``/BundleModel/BundleError`` with code
    ///   `networkUnavailable` when it can't be fetched, which keeps what was received for the next attempt,
    ///   `invalidArchive` when it has another digest or is too long, `quotaExceeded` or `storeUnavailable` when there is no
    ///   room for it.
    public func install(
        archive url: URL,
        digest: Digest,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> InstallReport {
        try await install(archive: url, digest: digest, options: options, progress: progress) {
            try $0.install(archive: $1, options: $2, progress: $3)
        }
    }

    /// The same, with another way to install the downloaded file.
    package func install(
        archive url: URL,
        digest: Digest,
        options: InstallOptions,
        progress: @escaping @Sendable (ByteProgress) -> Void,
        by installation:
            @Sendable (Installer, _ path: String, InstallOptions, (ByteProgress) -> Void) throws -> InstallReport
    ) async throws -> InstallReport {
        let trust = ArchiveTrust(
            store,
            requiresTrust: configuration.requiresTrust,
            signedBundles: Set(configuration.roots.keys)
        )
        let options = try trust.options(options, for: digest, named: url.reported)
        let download = VerifiedDownload(
            store: store,
            document: document,
            source: url,
            digest: digest,
            maximumByteCount: options.maximumArchiveByteCount
        ) { progress(ByteProgress(done: $0.done, total: $0.total * 2)) }
        return try await withTaskExecutorPreference(BlockingExecutor()) {
            let file = try await download.run()
            let size = try file.byteCount()
            var options = options
            options.sourceName = url.reported
            do {
                let report = try installation(installer, download.path, options) {
                    progress(ByteProgress(done: size + $0.done, total: size * 2))
                }
                try? file.remove()
                return report
            } catch let error as BundleError where ![.storeBusy, .storeUnavailable].contains(error.code) {
                // With other options, or when something else has changed, it is fetched again.
                try? file.remove()
                throw error
            }
        }
    }

    /// Reads the feeds of several bundles side by side: up to 256, and up to 4 of one host. A feed that fails, or doesn't
    /// respond, neither prevents nor delays the reading of others.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the manifests name.
    ///   - onOutcome: Called with the outcome of each bundle as it is there, one at a time.
    /// - Returns: The outcomes by name, those without a feed included. A failure is what ``check(_:feed:)`` throws.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no bundle of a name in
    ///   `names` or `feeds`, `storeUnavailable` or `storeDamaged` when the store can't be read; `CancellationError`
    ///   when the task is cancelled.
    @discardableResult
    public func checkAll(
        _ names: Set<BundleName>? = nil,
        feeds: [BundleName: URL] = [:],
        onOutcome: (FeedOutcome<UpdateCheck>) -> Void = { _ in }
    ) async throws -> [FeedOutcome<UpdateCheck>] {
        try await bundles.each(names, feeds, onOutcome) { try await check($0, feed: $1) }
    }

    /// Updates several bundles side by side: up to 256, and up to 4 files of one host are fetched at once. Archives are
    /// installed one at a time. A bundle that fails, or whose host doesn't respond, neither prevents nor delays the updates of others.
    ///
    /// When the task is cancelled, the updates that are complete remain.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - feeds: Feeds to use instead of those that the manifests name.
    ///   - options: As for ``update(_:feed:options:progress:)``.
    ///   - progress: Called periodically with the name of a bundle that is being updated, and the progress of its
    ///     update.
    ///   - onOutcome: Called with the outcome of each bundle as it is there, one at a time.
    /// - Returns: The outcomes by name, those without a feed included. A failure is what
    ///   ``update(_:feed:options:progress:)`` throws.
    /// - Throws: As ``checkAll(_:feeds:onOutcome:)``.
    @discardableResult
    public func updateAll(
        _ names: Set<BundleName>? = nil,
        feeds: [BundleName: URL] = [:],
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (BundleName, ByteProgress) -> Void = { _, _ in },
        onOutcome: (FeedOutcome<UpdateResult>) -> Void = { _ in }
    ) async throws -> [FeedOutcome<UpdateResult>] {
        try await bundles.each(names, feeds, onOutcome) { name, feed in
            try await update(name, feed: feed, options: options) { progress(name, $0) }
        }
    }

    /// Prunes what updates have superseded, between two installations of this updater. As
    /// ``/BundleStore/BundleStore/pruneUnlessBusy(keeping:of:sparing:waits:)``.
    package func pruneUnlessBusy(of names: Set<BundleName>) async throws -> BundleStore.PruneReport? {
        try await permits.install { try store.pruneUnlessBusy(of: names) }
    }

    /// Runs a check or an update of a bundle, and records what has come of it.
    ///
    /// - Parameter body: Returns the result, and why it isn't as it should be.
    private func recordingOutcome<Result>(
        of name: BundleName,
        _ body: () async throws -> (Result, failure: String?)
    ) async throws -> Result {
        try store.refresh()
        store.judgeProbations()
        return try await UpdateJournal(store: store).recordingOutcome(of: name, body)
    }

    /// Reads a feed. One that isn't trusted by a root yet is when something of it is installed, and not before: otherwise a server in the
    /// wrong hands for an hour could end the updates of all that follow an unsigned feed.
    ///
    /// - Parameters:
    ///   - feed: The URL of the feed that an operator has named; nil for the one that the bundle follows.
    ///   - installs: Whether something of it may be installed.
    private func readFeed(
        of name: BundleName,
        _ feed: URL?,
        installs: Bool
    ) async throws -> (feed: Feed, check: UpdateCheck) {
        let manifest = try store.bundle(name).current?.manifest
        let chosen = try store.updateState(of: name)?.chosenFeed
        guard let manifest, let url = feed ?? (chosen?.url ?? manifest.feed).flatMap(URL.init(string:)) else {
            throw BundleError(.invalidArgument, "bundle \(name) has no feed", .nameFeed)
        }
        let source = FeedSource(
            store: store,
            // Manifests come over the network: they name no files.
            document: feed != nil || chosen != nil ? try document(of: url) : document,
            requiresTrust: configuration.requiresTrust,
            roots: configuration.roots,
            installs: installs
        )
        let received = try await source.latest(of: name, at: url, isScheduled: configuration.isScheduled)
        let check = try evaluation.check(received, from: url.absoluteString)
        SignedReleases(store: store).record(received.feed, by: received.trust)
        return (received.feed, check)
    }

    /// Has clocks wait with the next check for as long as the publisher of a feed wants it. A feed on a stick costs its publisher nothing.
    private func pace(_ feed: Feed, _ check: UpdateCheck) {
        guard let poll = feed.poll, check.decision.feedRejection == nil, FileURL(check.feed) == nil else { return }
        try? store.record(FetchBackoff.wait(poll: poll, now: store.now()), of: check.name, .feed(check.feed))
    }

    /// Has the feed of a bundle trusted from now on by the root that it was verified by.
    func pin(_ trust: FeedTrust?, _ name: BundleName) throws {
        guard let trust, trust.pinning != nil else { return }
        try trust.pin(name, in: store)
        UpdateJournal(store: store).pinned(trust.anchor, of: name)
    }

    /// Reads what a feed leads to that an operator has named, also where that isn't on a web server.
    ///
    /// - Throws: As ``OriginDocument/reading(placeOf:by:)``.
    func document(of feed: URL) throws -> OriginDocument {
        try document.reading(placeOf: feed, by: configuration.places)
    }

    private var bundles: ConcurrentBundles { ConcurrentBundles(store: store, permits: permits) }

    var evaluation: FeedEvaluation { FeedEvaluation(store: store, configuration: configuration) }

    func installation(
        of release: FeedRelease,
        by check: UpdateCheck,
        isFollowed: Bool = true,
        mode: ActivationMode,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) throws -> ReleaseInstallation {
        ReleaseInstallation(
            store: store,
            installer: installer,
            document: try URL(string: check.feed).map(document(of:)) ?? document,
            permits: permits,
            configuration: configuration,
            check: check,
            release: release,
            basis: UpdateBasis(check, taking: release.version, in: store),
            isFollowed: isFollowed,
            mode: mode,
            options: options,
            progress: progress
        )
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

    /// Removes what was downloaded of releases that are installed: a process that ended between the installation and the
    /// removal of its download has left it behind.
    private func removeDownloads(of feed: Feed) {
        guard let bundle = store.snapshot.bundles[feed.name] else { return }
        for release in feed.releases where bundle.release(release.version) != nil {
            store.removeDownloads(of: release, for: feed.name)
        }
    }
}
