import BundleInstall
import BundleStore
import Foundation

/// Brings bundles to the highest version that their feeds offer. Thread-safe.
public struct Updater: Sendable {
    let store: BundleStore
    private let installer: Installer
    private let document: OriginDocument

    /// - Parameters:
    ///   - store: The store that holds the bundles.
    ///   - installer: Installs into the same store.
    ///   - transport: The network.
    public init(_ store: BundleStore, installer: Installer, transport: any OriginTransport) {
        self.store = store
        self.installer = installer
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
        return try await recordingFailure(of: name) { try await readFeed(name, feed).check }
    }

    /// Updates a bundle: downloads, verifies, installs and activates a release, and in the same step drops what was
    /// cached under the old version. Until the activation, and after a failure, the old version stays active.
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
        return try await recordingFailure(of: name) {
            let (feed, check) = try await readFeed(name, feed)
            removeDownloads(of: feed)
            guard let release = check.available else { return .upToDate(check) }
            try willFetch(release)
            let work = release.size.multipliedReportingOverflow(by: 2).partialValue
            // Both keep writing to the disk.
            let executor = BlockingExecutor()
            let download = ArchiveDownload(
                store: store,
                document: document,
                release: release,
                maximumByteCount: options.maximumArchiveByteCount
            ) { progress(ByteProgress(done: $0.done, total: work)) }
            return try await withTaskExecutorPreference(executor) {
                let file = try await download.run()
                let report = try install(release, of: name, from: file, at: download.path, options) {
                    progress(ByteProgress(done: release.size + $0.done, total: work))
                }
                return .updated(check, report)
            }
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
        let held = try store.updateState(of: name)?.heldVersion
        return (feed, decide(bundle, feed, channel: manifest.channel, held: held))
    }

    /// Removes the archives of releases that are installed: a process that ended between the installation and the
    /// removal of its download has left one behind.
    private func removeDownloads(of feed: Feed) {
        guard let bundle = store.snapshot.bundles[feed.name] else { return }
        for release in feed.releases where bundle.release(release.version) != nil {
            try? FileManager.default.removeItem(atPath: store.downloadPath(for: release.digest))
        }
    }

    private func decide(_ bundle: InstalledBundle, _ feed: Feed, channel: String, held: BundleVersion?) -> UpdateCheck {
        let local = bundle.activeVersion
        let floor = [local, held].compactMap(\.self).max()
        let (highest, available): (BundleVersion?, FeedRelease?) =
            switch UpdatePolicy.decide(local: floor, channel: channel, feed: feed) {
            case .upToDate(let highest): (highest, nil)
            case .update(let release): (release.version, release)
            }
        return UpdateCheck(name: bundle.name, local: local, held: held, highest: highest, available: available)
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
        options.activates = true
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
            throw error.refusing(release)
        }
    }

    /// Whether installing the same archive may succeed later. Any other archive is removed, and so is one that takes
    /// the space that its contents need.
    private static func mayPass(_ error: BundleError) -> Bool {
        [.storeBusy, .storeUnavailable].contains(error.code) && !error.isLackOfRoom
    }

    private func recordingFailure<Result>(
        of name: BundleName,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            // The update has succeeded even if it can't be recorded.
            try? store.recordCheck(of: name, failure: nil)
            return result
        } catch {
            // A cancellation says nothing about the feed.
            if !(error is CancellationError) { try? store.recordCheck(of: name, failure: "\(error)") }
            throw error
        }
    }
}
