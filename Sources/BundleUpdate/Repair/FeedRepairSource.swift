import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// The archives that the publishers' feeds offer, as a source of the correct bytes: the archive of a damaged release is
/// downloaded, compared with the feed's digest, and used like a local one. A release gets back only what it had:
/// everything taken has the digests that the store has recorded.
package struct FeedRepairSource: RepairSource {
    /// What one bundle lacks.
    private struct Need {
        /// The one that the manifest names.
        var feed: String?
        var versions: [BundleVersion] = []
    }

    private let installer: Installer
    private let options: InstallOptions
    private let document: OriginDocument

    /// - Parameters:
    ///   - installer: Installs releases again into the store that is repaired.
    ///   - options: As ``/BundleInstall/ArchiveRepairSource`` takes them.
    ///   - transport: The network.
    ///   - credentials: The users and passwords for the publishers' servers.
    package init(
        _ transport: any OriginTransport,
        installer: Installer,
        options: InstallOptions = InstallOptions(),
        credentials: FeedCredentials = .none
    ) {
        self.installer = installer
        self.options = options
        document = OriginDocument(transport: transport, credentials: credentials)
    }

    /// Asks the feeds that the bundles follow, of those that lack something, for the archives of the releases concerned.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` or `invalidFeed` when a feed has failed,
    ///   after all have been asked; `storeUnavailable` when the catalog can't be read, or content that was taken from an
    ///   archive can't be removed again; `CancellationError` when the task is cancelled.
    package func supply(_ repair: StoreRepair) async throws {
        var failure: BundleError?
        for (name, need) in needs(of: repair).sorted(by: { $0.key < $1.key }) {
            try Task.checkCancellation()
            let chosen = try repair.store.updateState(of: name)?.chosenFeed?.url
            guard let feed = chosen ?? need.feed, let url = URL(string: feed) else {
                repair.noteAttempt(at: "the feed of \(name)", "it follows none, and its manifest names none")
                continue
            }
            do {
                try await supply(repair, name, need.versions, from: url)
            } catch let error as BundleError where error.code != .storeUnavailable {
                repair.noteAttempt(at: url.reported, error.message)
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func needs(of repair: StoreRepair) -> [BundleName: Need] {
        var needs: [BundleName: Need] = [:]
        func add(_ name: BundleName, _ version: BundleVersion, _ manifest: BundleManifest?) {
            var need = needs[name] ?? Need()
            need.feed = need.feed ?? manifest?.feed
            if !need.versions.contains(where: { $0.string == version.string }) { need.versions.append(version) }
            needs[name] = need
        }
        for release in repair.damagedReleases {
            add(release.name, release.version, release.manifest ?? repair.currentManifest(of: release.name))
        }
        for file in repair.missingFiles { add(file.release.name, file.release.version, file.release.manifest) }
        return needs
    }

    private func supply(
        _ repair: StoreRepair,
        _ name: BundleName,
        _ versions: [BundleVersion],
        from url: URL
    ) async throws {
        let feed = try await FeedSource(store: repair.store, document: document).whole(of: name, at: url).feed
        for version in versions {
            let offered = feed.releases.first { $0.version.string == version.string && $0.trust.isSufficient }
            guard let release = offered else {
                repair.noteAttempt(at: url.reported, "doesn't offer \(name)@\(version)")
                continue
            }
            try await supply(repair, name, release)
        }
    }

    /// Fetches one archive and takes what it has. Failures, including a full store, are only recorded: what other
    /// sources have supplied is used nevertheless.
    private func supply(_ repair: StoreRepair, _ name: BundleName, _ release: FeedRelease) async throws {
        do {
            // An update may be downloading the same file.
            let lock = try repair.store.lockUpdate(of: name, waits: options.waits)
            defer { withExtendedLifetime(lock) {} }
            try await ask(download(release, of: name, into: repair.store), of: release, for: repair)
        } catch let error as BundleError {
            try repair.dropContent()
            repair.noteAttempt(at: release.source.reported, error.message)
        }
    }

    private func download(_ release: FeedRelease, of name: BundleName, into store: BundleStore) -> FileDownload {
        FileDownload(
            store: store,
            document: document,
            bundle: name,
            file: release.archive,
            release: release,
            maximumByteCount: options.maximumArchiveByteCount,
            received: ByteCounter()
        ) { _ in }
    }

    private func ask(_ download: FileDownload, of release: FeedRelease, for repair: StoreRepair) async throws {
        let file = try await download.run()
        defer { try? file.remove() }
        var options = options
        options.expectedFiles = release.trust.filesDigest
        let archive = ArchiveRepairSource(
            download.path,
            named: release.source.reported,
            installer: installer,
            options: options
        )
        _ = try await repair.ask(archive)
    }
}
