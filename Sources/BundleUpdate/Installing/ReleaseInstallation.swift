import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Brings a release that a check has chosen into the store, unless the store has it, and makes it the active one, at once or
/// later; unless what the choice was made for no longer holds by then.
struct ReleaseInstallation {
    let store: BundleStore
    let installer: Installer
    /// Fetches the release, from where its feed was read.
    let document: OriginDocument
    let permits: UpdatePermits
    let configuration: Updater.Configuration
    let check: UpdateCheck
    let release: FeedRelease
    /// What the choice was made for.
    let basis: UpdateBasis
    /// Whether the bundle's updates come from the feed that offers the release, by its manifest or by an operator.
    let isFollowed: Bool
    /// When the release becomes active.
    let mode: ActivationMode
    /// How the archive is read, and whether to wait for another process. Its identity and activation are ignored.
    let options: InstallOptions
    /// Called with the bytes that are done.
    let progress: @Sendable (ByteProgress) -> Void

    private var name: BundleName { check.name }

    /// The release as the store has it; nil unless it is whole.
    var present: Release? {
        store.snapshot.bundles[name]?.release(release.version).flatMap { $0.lacksContents ? nil : $0 }
    }

    /// - Returns: What was installed; how it was fetched, nil when nothing had to be; and false when the release was to become
    ///   active later already.
    /// - Throws: As ``Updater/update(_:feed:options:progress:)`` does for a release.
    func run() async throws -> (report: InstallReport, delivery: DeliveryReport?, isNew: Bool) {
        let (report, delivery) = try await take()
        guard mode == .now else {
            let isNew = try store.setPending(name, release.version, mode, waits: options.waits, checking: precondition)
            return (report, delivery, isNew)
        }
        // A rollback mustn't lead to it.
        if let revoked = check.decision.revokedActive { try? store.leave(name, revoked) }
        return (report, delivery, true)
    }

    private func take() async throws -> (InstallReport, DeliveryReport?) {
        if let present { return (try activate(present), nil) }
        let isMetered = FileURL(release.source) == nil && configuration.isMetered()
        let plans = PlanKind.allCases.filter {
            configuration.onMetered.permitsFetching(isPatch: $0 == .patch, isMetered: isMetered)
        }
        let received = ByteCounter()
        return try await PacedFetch(
            store: store,
            name: name,
            subject: .release(release.digest),
            isScheduled: configuration.isScheduled
        )
        .run(
            postponement: { .releaseBackingOff(release.version, until: $0.nextAt) },
            pauses: {
                FetchBackoff.pauses(afterRelease: $0, at: release.source, hasReceived: received.count > 0)
            }
        ) {
            try await fetch(by: plans, received)
        }
    }

    /// Activates a release that the store has whole, if the time for that is now.
    private func activate(_ installed: Release) throws -> InstallReport {
        if let expected = release.trust.filesDigest ?? release.contents?.filesDigest,
            installed.filesDigest() != expected
        {
            throw BundleError(
                .versionConflict,
                "\(name)@\(release.version) is installed with other content than its feed offers",
                .replaceRelease
            )
        }
        guard mode == .now else { return InstallReport(present: installed, .unchanged) }
        try store.activateUpdate(name, installed.version, waits: options.waits, checking: precondition)
        return InstallReport(present: installed, .activated)
    }

    private func fetch(by plans: [PlanKind], _ received: ByteCounter) async throws -> (InstallReport, DeliveryReport?) {
        let delivery = ReleaseDelivery(
            store: store,
            installer: installer,
            document: document,
            name: name,
            release: release,
            received: received,
            options: try installOptions(),
            plans: plans,
            isFollowed: isFollowed,
            sharesContents: configuration.sharesContents,
            background: configuration.background,
            onMetered: configuration.onMetered,
            permits: permits,
            progress: progress,
            didFetch: { report in
                UpdateJournal(store: store).fetched(release, of: name, report)
                try basis.checkNow()
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

    /// A feed is trusted from the moment on at which something of it is installed.
    private var precondition: @Sendable (InstalledBundle?) throws -> Void {
        { [basis, check, store] bundle in
            try basis.check(bundle)
            try check.trust?.pin(check.name, in: store)
        }
    }

    private func installOptions() throws -> InstallOptions {
        var options = options
        options.activates = mode == .now
        options.replaces = false
        // Only the operator may let a bundle take another bundle's URLs.
        options.permittedOverlaps = []
        options.expected = (name, release.version)
        // For an archive without a manifest: the rules of the installation, or of a first one the feed's own words.
        let current = store.snapshot.bundles[name]?.current?.manifest.with(version: release.version)
        options.manifest = try current ?? BundleManifest(name: name, version: release.version, origins: [])
        options.expectedFiles = release.trust.filesDigest
        options.precondition = precondition
        return options
    }
}
