import BundleInstall
import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import Synchronization

/// Installing, and choosing which version responds.
extension BundleClient {
    /// Installs the bundle that is shipped with the app, when the store has none of its versions or its active one is
    /// lower. It is the last resort then, which is never pruned. It needn't be signed by its publisher, since it comes with the
    /// app. To be called at every start: while there is nothing to do, only
    /// the archive's manifest is read.
    ///
    /// - Parameters:
    ///   - path: The archive, in one of ``Configuration/archiveFormats``. The manifest of a zip is found at once; a tar is read up
    ///     to its manifest, or to its end when that isn't at the root.
    ///   - options: As for ``install(archive:options:progress:)-(String,_,_)``.
    /// - Returns: The report of the installation; nil when the store's version is the same or higher.
    /// - Throws: As ``install(archive:options:progress:)-(String,_,_)``.
    @discardableResult
    public func seed(archive path: String, options: InstallOptions = InstallOptions()) async throws -> InstallReport? {
        let manifest = try await blocking { [self] in
            try Installer.manifest(of: path, formats: installer.formats, options: options)
        }
        let bundle = store.snapshot.bundles[manifest.name]
        if let active = bundle?.activeVersion, active >= manifest.version {
            if bundle?.release(manifest.version) != nil {
                try await blocking { [self] in try store.setSeed(manifest.name, manifest.version, waits: true) }
            }
            return nil
        }
        var options = options
        options.isSeed = true
        options.isPartOfApp = true
        return try await install(archive: path, options: options)
    }

    /// The same with the archive's URL.
    ///
    /// - Throws: As above; with code `invalidArgument` also when `file` isn't the URL of a file.
    @discardableResult
    public func seed(archive file: URL, options: InstallOptions = InstallOptions()) async throws -> InstallReport? {
        try await seed(archive: file.filePath(), options: options)
    }

    /// Installs an archive, on a thread of its own; as ``/BundleInstall/Installer/install(archive:options:progress:)``
    /// otherwise. Cancelling the task leaves the store as it was. Where the releases of the bundle have to be signed, the archive has to be
    /// among those that are known from its feed.
    ///
    /// - Parameters:
    ///   - path: The archive, in one of ``Configuration/archiveFormats``.
    ///   - options: How the archive is read, and what becomes of the release.
    ///   - progress: Called now and then with the bytes of the archive that are read; ``progress`` has them too.
    /// - Throws: ``/BundleModel/BundleError`` as the installer does; with code `inputUnavailable` when there is no such file, and
    ///   `storeUnavailable` after ``close()``;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func install(
        archive path: String,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> InstallReport {
        try await blocking { [self] in
            let options = try trusted(options, archive: path)
            return try installer.install(archive: path, options: options) { bytes in
                progress(bytes)
                progressBroadcast.send(WorkProgress(work: .installation(archive: path), bytes: bytes))
            }
        }
    }

    /// The same with the archive's URL.
    ///
    /// - Throws: As above; with code `invalidArgument` also when `file` isn't the URL of a file.
    @discardableResult
    public func install(
        archive file: URL,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> InstallReport {
        try await install(archive: file.filePath(), options: options, progress: progress)
    }

    private func trusted(_ options: InstallOptions, archive path: String) throws -> InstallOptions {
        // The app's signature vouches for what is in it.
        guard !options.isPartOfApp else { return options }
        let trust = ArchiveTrust(store, requiresTrust: requiresTrust, signedBundles: Set(roots.keys))
        return try trust.options(options, for: path)
    }

    /// Makes an installed version the active one, see
    /// ``/BundleStore/BundleStore/activate(_:_:permittingOverlapWith:waits:)``.
    public func activate(_ name: BundleName, version: BundleVersion) async throws {
        try await blocking { [self] in try store.activate(name, version, waits: true) }
    }

    /// Makes the version before active again, or a certain lower one, see
    /// ``/BundleStore/BundleStore/rollBack(_:to:permittingOverlapWith:waits:)``.
    ///
    /// - Returns: The version that was left and the one that is active now.
    @discardableResult
    public func rollBack(
        _ name: BundleName,
        to version: BundleVersion? = nil
    ) async throws -> (from: BundleVersion?, to: BundleVersion) {
        try await blocking { [self] in try store.rollBack(name, to: version, waits: true) }
    }

    /// Confirms that the active release works, see ``/BundleStore/BundleStore/confirm(_:_:waits:)``: for an app that has seen
    /// one of its pages work.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: The version that works; nil for the active one.
    /// - Returns: Whether it had to be confirmed.
    @discardableResult
    public func confirm(_ name: BundleName, version: BundleVersion? = nil) async throws -> Bool {
        try await blocking { [self] in try store.confirm(name, version, waits: true).wasOnProbation }
    }

    /// Says that a release doesn't work, see ``/BundleStore/BundleStore/markBad(_:_:reason:waits:)``.
    @discardableResult
    public func markBad(_ name: BundleName, version: BundleVersion, reason: String) async throws -> BadRelease {
        try await blocking { [self] in try store.markBad(name, version, reason: reason, waits: true) }
    }

    /// Forgets which archives of a bundle couldn't be used, so that the next update fetches them again.
    public func retry(_ name: BundleName) async throws {
        try await blocking { [self] in try store.forgetFailures(of: name) }
    }

    /// Makes updates leave a bundle as it is, see ``/BundleStore/BundleStore/setHold(_:_:waits:)``.
    public func hold(_ name: BundleName) async throws {
        try await blocking { [self] in try store.setHold(true, name, waits: true) }
    }

    /// Ends ``hold(_:)``.
    public func unhold(_ name: BundleName) async throws {
        try await blocking { [self] in try store.setHold(false, name, waits: true) }
    }

    /// Removes a version, or all versions of a bundle, see ``/BundleStore/BundleStore/remove(_:_:waits:)``.
    ///
    /// - Returns: The versions that were removed.
    @discardableResult
    public func remove(_ name: BundleName, version: BundleVersion? = nil) async throws -> [BundleVersion] {
        try await blocking { [self] in try store.remove(name, version, waits: true) }
    }

    /// Runs work that waits for the disk on a thread of its own, and takes what it has changed.
    func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await lifetime.run(locksStore: true) { [self] in
            let result = try await withTaskExecutorPreference(BlockingExecutor()) { try work() }
            refresh()
            return result
        }
    }
}

/// Checking for updates, and installing them.
extension BundleClient {
    /// Reads the feed of a bundle, see ``/BundleUpdate/Updater/check(_:feed:)``.
    ///
    /// - Throws: ``/BundleModel/BundleError`` as the updater does; with code `networkUnavailable` without a network, and
    ///   `storeUnavailable` after ``close()``; `CancellationError` when the task is cancelled.
    public func check(_ name: BundleName, feed: URL? = nil) async throws -> UpdateCheck {
        try await updating { try await $0.check(name, feed: feed) }
    }

    /// Updates a bundle, see ``/BundleUpdate/Updater/update(_:feed:options:progress:)``. Cancelling the task
    /// leaves the version before active.
    ///
    /// - Parameters:
    ///   - name: An installed bundle.
    ///   - feed: The feed's URL; nil for the one that the manifest names.
    ///   - options: How the archive is read.
    ///   - progress: Called periodically with the bytes of the archive that are done; it counts twice, once for fetching and
    ///     once for installing it. The sequence ``progress`` has it too.
    /// - Throws: As ``check(_:feed:)``.
    @discardableResult
    public func update(
        _ name: BundleName,
        feed: URL? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> UpdateResult {
        try await updating { [self] updater in
            try await updater.update(name, feed: feed, options: options) { [self] bytes in
                progress(bytes)
                progressBroadcast.send(WorkProgress(work: .update(name), bytes: bytes))
            }
        }
    }

    /// Reads the feeds of several bundles, see ``/BundleUpdate/Updater/checkAll(_:feeds:onOutcome:)``.
    ///
    /// - Throws: As ``check(_:feed:)``, for what concerns them all.
    public func checkAll(_ names: Set<BundleName>? = nil) async throws -> [FeedOutcome<UpdateCheck>] {
        try await updating { try await $0.checkAll(names) }
    }

    /// Updates several bundles, see ``/BundleUpdate/Updater/updateAll(_:feeds:options:progress:onOutcome:)``.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - options: As for ``update(_:feed:options:progress:)``.
    ///   - progress: Called periodically with the name of a bundle that is being updated, and how far that is. The sequence
    ///     ``progress`` has it too.
    /// - Throws: As ``check(_:feed:)``, for what concerns them all.
    @discardableResult
    public func updateAll(
        _ names: Set<BundleName>? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (BundleName, ByteProgress) -> Void = { _, _ in }
    ) async throws -> [FeedOutcome<UpdateResult>] {
        try await updateAll(names, options: options, inBackground: false, progress: progress)
    }

    /// The same.
    ///
    /// - Parameter inBackground: Whether a clock asks while the app is in the background: then the system downloads large files.
    func updateAll(
        _ names: Set<BundleName>?,
        options: InstallOptions = InstallOptions(),
        inBackground: Bool,
        progress: @escaping @Sendable (BundleName, ByteProgress) -> Void = { _, _ in }
    ) async throws -> [FeedOutcome<UpdateResult>] {
        try await updating(inBackground: inBackground) { [self] updater in
            try await updater.updateAll(
                names,
                options: options,
                progress: { [self] name, bytes in
                    progress(name, bytes)
                    progressBroadcast.send(WorkProgress(work: .update(name), bytes: bytes))
                },
                onOutcome: { [self] _ in refresh() }
            )
        }
    }

    /// Installs the highest release that a feed offers, and makes the updates of its bundle follow that feed; see
    /// ``/BundleUpdate/Updater/install(feed:channel:root:options:progress:)``. Cancelling the task leaves the store as it was.
    ///
    /// - Parameters:
    ///   - feed: The feed's URL.
    ///   - channel: The channel to follow; nil for the bundle's, and for `stable` in a new one.
    ///   - options: How the archive is read.
    ///   - progress: As for ``update(_:feed:options:progress:)``.
    /// - Throws: As ``check(_:feed:)``; ``/BundleModel/BundleError`` with code `invalidArgument` also when the feed offers nothing that
    ///   can be installed.
    @discardableResult
    public func install(
        feed: URL,
        channel: String? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> InstallReport {
        try await updating { [self] updater in
            try await updater.install(feed: feed, channel: channel, options: options) { [self] bytes in
                progress(bytes)
                progressBroadcast.send(WorkProgress(work: .feed(feed), bytes: bytes))
            }
        }
    }

    /// What has happened to a bundle, or to all bundles, the oldest first; see ``/BundleStore/BundleStore/history(of:)``.
    public func history(of name: BundleName? = nil) async throws -> [UpdateEvent] {
        try await lifetime.run { [self] in
            try await withTaskExecutorPreference(BlockingExecutor()) { try store.history(of: name) }
        }
    }

    func updating<Result: Sendable>(
        inBackground: Bool = false,
        _ work: @escaping @Sendable (Updater) async throws -> Result
    ) async throws -> Result {
        guard let updater else {
            throw BundleError(
                .networkUnavailable,
                "the client of the store in \(store.path) has no network; give it one"
            )
        }
        let downloads = backgroundDownloads.withLock(\.self)
        let used = inBackground ? updater.inBackground(downloads) : updater.beside(downloads)
        return try await lifetime.run(locksStore: true) { [self] in
            let result = try await work(used)
            refresh()
            return result
        }
    }
}

/// How far an installation or an update is. A value type; safe to share between threads.
public struct WorkProgress: Hashable, Sendable {
    /// What is being done.
    public enum Work: Hashable, Sendable {
        /// An archive is being installed.
        case installation(archive: String)
        /// The release of a feed is being installed.
        case feed(URL)
        /// A bundle is being updated.
        case update(BundleName)
    }

    /// What is being done.
    public let work: Work
    /// The bytes of the archive that are done; an update counts them twice, see
    /// ``/BundleUpdate/Updater/update(_:feed:options:progress:)``.
    public let bytes: ByteProgress
}
