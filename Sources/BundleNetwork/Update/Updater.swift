import BundleInstall
import BundleStore
import Foundation

/// Brings bundles to the highest version that their feeds offer. Thread-safe.
public struct Updater: Sendable {
    let store: BundleStore
    private let installer: Installer
    private let shellVersion: BundleVersion?
    private let activation: ActivationMode
    private let document: OriginDocument

    /// - Parameters:
    ///   - store: The store that holds the bundles.
    ///   - installer: Installs into the same store.
    ///   - transport: The network.
    ///   - shellVersion: The version of the shell that shows the bundles. Without it, a release that needs a certain
    ///     one isn't installed.
    ///   - activation: When a release that an update has installed becomes active. One that takes the place of a release
    ///     that mustn't be used any more becomes active at once.
    public init(
        _ store: BundleStore,
        installer: Installer,
        transport: any OriginTransport,
        shellVersion: BundleVersion? = nil,
        activation: ActivationMode = .now
    ) {
        self.store = store
        self.activation = activation
        self.installer = installer
        self.shellVersion = shellVersion
        document = OriginDocument(transport: transport)
    }

    /// Reads the feed of a bundle. The outcome is recorded, see ``/BundleStore/BundleStore/updateState(of:)``.
    ///
    /// - Parameters:
    ///   - name: An installed bundle.
    ///   - feed: The feed's URL; nil for the one that the manifest names.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle or it has no
    ///   feed, `networkUnavailable` when the feed can't be fetched, `invalidFeed` when it is wrong or another bundle's.
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
    ///   - progress: Called periodically with the bytes of the archive that are done; it counts twice, once for fetching
    ///     and once for installing it.
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
        let lock = try store.lockUpdate(of: name, waits: options.waits)
        defer { withExtendedLifetime(lock) {} }
        try store.refresh()
        store.judgeProbations()
        return try await recordingOutcome(of: name) {
            let (feed, check) = try await readFeed(name, feed)
            removeDownloads(of: feed)
            guard let release = check.available else { return (.upToDate(check), check.decision.failure) }
            journal(chosen: release, by: check)
            let mode = check.withdrawal == nil ? activation : .now
            let report = try await take(release, of: name, mode, options, progress, willFetch)
            if mode != .now {
                let isNew = try store.setPending(name, release.version, mode, waits: options.waits)
                return (isNew ? .pending(check, report) : .upToDate(check), nil)
            }
            // A rollback mustn't lead to it.
            if let revoked = check.decision.revokedActive { try? store.leave(name, revoked) }
            return (.updated(check, report), nil)
        }
    }

    private func readFeed(_ name: BundleName, _ feed: URL?) async throws -> (feed: Feed, check: UpdateCheck) {
        let bundle = try store.bundle(name)
        guard let manifest = bundle.current?.manifest, let url = feed ?? manifest.feed.flatMap(URL.init(string:)) else {
            throw BundleError(.invalidArgument, "bundle \(name) has no feed", .nameFeed)
        }
        let (bytes, location) = try await document.bytes(of: url, limit: Feed.maximumByteCount)
        let feed = try Feed.parse(bytes, baseURL: location)
        guard feed.name == name else {
            throw BundleError(
                .invalidFeed,
                "\(location.reported) is the feed of \(feed.name), not of \(name); correct the URL"
            )
        }
        return (feed, try check(bundle, feed, from: url.absoluteString, channel: manifest.channel))
    }

    /// Asks the policy, and remembers the feed's sequence number.
    ///
    /// - Parameter url: The URL at which the feed was asked for.
    private func check(
        _ bundle: InstalledBundle,
        _ feed: Feed,
        from url: String,
        channel: String
    ) throws -> UpdateCheck {
        let name = bundle.name
        let state = try store.updateState(of: name)
        let seen = try store.highestSequence(of: name, feed: url)
        let decision = UpdatePolicy.decide(
            installed: InstalledState(
                active: bundle.activeVersion,
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
                shell: shellVersion
            ),
            now: store.now()
        )
        if let sequence = feed.sequence, sequence > seen ?? 0 {
            try? store.recordSequence(sequence, of: name, feed: url)
        }
        let check = UpdateCheck(
            name: name,
            local: bundle.activeVersion,
            held: state?.heldVersion,
            isOnHold: state?.isOnHold ?? false,
            decision: decision
        )
        journal(check)
        // What mustn't be used any more ends at once, for all processes, and not with the update.
        if decision.feedRejection == nil { try? store.setWithdrawal(check.withdrawal, of: name) }
        return check
    }

    private func take(
        _ release: FeedRelease,
        of name: BundleName,
        _ mode: ActivationMode,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void,
        _ willFetch: (FeedRelease) throws -> Void
    ) async throws -> InstallReport {
        if let report = try activate(release, of: name, mode, waits: options.waits) { return report }
        try willFetch(release)
        var options = options
        options.activates = mode == .now
        return try await fetch(release, of: name, options, progress)
    }

    /// Activates a release that the store has whole, if the time for that is now; returns nil when the store hasn't.
    private func activate(
        _ release: FeedRelease,
        of name: BundleName,
        _ mode: ActivationMode,
        waits: Bool
    ) throws -> InstallReport? {
        guard let installed = store.snapshot.bundles[name]?.release(release.version), !installed.lacksContents else {
            return nil
        }
        if mode == .now { try store.activateUpdate(name, installed.version, waits: waits) }
        return InstallReport(present: installed, mode == .now ? .activated : .unchanged)
    }

    private func fetch(
        _ release: FeedRelease,
        of name: BundleName,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws -> InstallReport {
        let work = release.size.multipliedReportingOverflow(by: 2).partialValue
        let download = ArchiveDownload(
            store: store,
            document: document,
            release: release,
            maximumByteCount: options.maximumArchiveByteCount
        ) { progress(ByteProgress(done: $0.done, total: work)) }
        // Both keep writing to the disk.
        return try await withTaskExecutorPreference(BlockingExecutor()) {
            let file = try await download.run()
            journal(fetched: release, of: name)
            return try install(release, of: name, from: file, at: download.path, options) {
                progress(ByteProgress(done: release.size + $0.done, total: work))
            }
        }
    }

    /// Removes the archives of releases that are installed: a process that ended between the installation and the
    /// removal of its download has left one behind.
    private func removeDownloads(of feed: Feed) {
        guard let bundle = store.snapshot.bundles[feed.name] else { return }
        for release in feed.releases where bundle.release(release.version) != nil {
            try? FileManager.default.removeItem(atPath: store.downloadPath(for: release.digest))
        }
    }

    private func install(
        _ release: FeedRelease,
        of name: BundleName,
        from file: DownloadFile,
        at path: String,
        _ options: InstallOptions,
        progress: (ByteProgress) -> Void
    ) throws -> InstallReport {
        var options = options
        options.replaces = false
        // Only the operator may let a bundle take another bundle's URLs.
        options.permittedOverlaps = []
        options.expected = (name, release.version)
        // A bundle that was installed without a manifest keeps the rules of its installation.
        options.manifest = store.snapshot.bundles[name]?.current?.manifest.with(version: release.version)
        do {
            let report = try installer.install(archive: path, options: options, progress: progress)
            try? file.remove()
            return report
        } catch let error as BundleError where !Self.mayPass(error) {
            try? file.remove()
            let isFinal = Self.liesWithArchive(error)
            if isFinal {
                try? store.recordFailure(of: name, release.version, release.digest, reason: error.message)
            }
            throw error.refusing(release, isFinal: isFinal)
        }
    }

    /// Whether installing the same archive may succeed later. Any other archive is removed, and so is one that takes
    /// the space that its contents need.
    private static func mayPass(_ error: BundleError) -> Bool {
        [.storeBusy, .storeUnavailable].contains(error.code) && !error.isLackOfRoom
    }

    /// Whether the archive, which has the advertised digest, can't be installed whatever else changes. Room and the
    /// claims of other bundles may change.
    private static func liesWithArchive(_ error: BundleError) -> Bool {
        [.invalidArchive, .invalidManifest, .invalidFeed, .versionConflict].contains(error.code)
    }

    /// - Parameter body: Returns the result, and why it isn't as it should be.
    private func recordingOutcome<Result>(
        of name: BundleName,
        _ body: () async throws -> (Result, failure: String?)
    ) async throws -> Result {
        do {
            let (result, failure) = try await body()
            // The update has succeeded even if it can't be recorded.
            try? store.recordCheck(of: name, failure: failure)
            if let failure { journal(failureOf: name, failure) }
            return result
        } catch {
            // A cancellation says nothing about the feed.
            if !(error is CancellationError) {
                try? store.recordCheck(of: name, failure: "\(error)")
                journal(failureOf: name, "\(error)", error)
            }
            throw error
        }
    }
}
