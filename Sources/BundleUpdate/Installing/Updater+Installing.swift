import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// First installations from the network.
extension Updater {
    /// Installs the highest release that a feed offers, and makes the updates of its bundle follow that feed from now on,
    /// whatever feed its manifest names. What is offered to whom is decided as for an update. A bundle that has a release
    /// already is updated, and stays as it is when there is nothing to update to.
    ///
    /// - Parameters:
    ///   - url: The feed's URL, which an operator names.
    ///   - channel: The channel to follow; nil for the bundle's, and that of manifests, `stable`, for a new one.
    ///   - options: As for ``update(_:feed:options:progress:willFetch:)``.
    ///   - progress: As for ``update(_:feed:options:progress:willFetch:)``.
    /// - Throws: As ``update(_:feed:options:progress:willFetch:)``; ``/BundleModel/BundleError`` with code `invalidArgument`
    ///   also when the URL leads to something else than a feed, or the feed offers nothing that can be installed.
    public func install(
        feed url: URL,
        channel: String? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> InstallReport {
        let feed = try await FeedSource(store: store, document: document.reading(place(of: url))).first(at: url)
        let lock = try await lock(feed.name, waits: options.waits)
        defer { withExtendedLifetime(lock) {} }
        try store.refresh()
        let report = try await install(feed, from: url, channel: channel, options, progress)
        try store.choose(choice(of: url, channel, for: feed.name), for: feed.name)
        try? store.recordCheck(of: feed.name, failure: nil)
        return report
    }

    private func install(
        _ feed: Feed,
        from url: URL,
        channel: String?,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws -> InstallReport {
        let bundle = store.snapshot.bundles[feed.name]
        let (chosen, manifest) = (try store.updateState(of: feed.name)?.chosenFeed, bundle?.current?.manifest)
        let followed = chosen?.channel ?? manifest?.channel
        let check = try check(
            feed,
            active: bundle?.activeVersion,
            from: url.absoluteString,
            channel: channel ?? followed ?? BundleManifest.defaultChannel
        )
        guard let release = check.available else {
            if let problem = check.problem { throw problem }
            guard let active = bundle?.active else { throw nothing(in: feed, at: url, check) }
            return InstallReport(present: active, .unchanged)
        }
        // Whose feed it is, is only known once its release is here.
        let isFollowed = chosen?.url ?? manifest?.feed == url.absoluteString
        let basis = UpdateBasis(check, isFollowed: isFollowed, in: store)
        let (report, _) = try await take(release, on: basis, .now, options, progress)
        if let revoked = check.decision.revokedActive { try? store.leave(feed.name, revoked) }
        return report
    }

    /// Nil when the manifest says the same.
    private func choice(of url: URL, _ channel: String?, for name: BundleName) -> ChosenFeed? {
        let manifest = store.snapshot.bundles[name]?.current?.manifest
        let isSame = manifest?.feed == url.absoluteString && (channel ?? manifest?.channel) == manifest?.channel
        return isSame ? nil : ChosenFeed(url: url.absoluteString, channel: channel)
    }

    private func nothing(in feed: Feed, at url: URL, _ check: UpdateCheck) -> BundleError {
        let reasons = check.decision.candidates.prefix(3).compactMap { candidate in
            candidate.rejection.map { "\(candidate.release.version) is no choice (\($0))" }
        }
        let reason = reasons.isEmpty ? "it offers no release" : reasons.joined(separator: "; ")
        return BundleError(
            .invalidArgument,
            "nothing of \(url.reported), the feed of \(feed.name), can be installed: \(reason)"
        )
    }

    /// Installs the archive at a URL that has the given digest. A download that was interrupted is resumed.
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
}
