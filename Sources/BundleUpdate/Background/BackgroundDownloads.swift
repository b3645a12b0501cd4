import BundleStore
import Foundation
import HTTPCore

/// The files that the system downloads for updates, in one session. Copies share it. Thread-safe.
package struct BackgroundDownloads: Sendable {
    /// The process fetches smaller files itself: the system takes its time, and starts the app for each file.
    package static let defaultLeastByteCount: Int64 = 1 << 20

    /// The session.
    package let session: any BackgroundSession
    /// What it tells.
    package let events: BackgroundEvents
    private let leastByteCount: Int64

    /// - Parameters:
    ///   - session: The session.
    ///   - events: What it tells.
    ///   - leastByteCount: The fewest bytes for which a task is started, 1 or more.
    package init(
        _ session: any BackgroundSession,
        _ events: BackgroundEvents,
        leastByteCount: Int64 = Self.defaultLeastByteCount
    ) {
        (self.session, self.events, self.leastByteCount) = (session, events, leastByteCount)
    }

    /// Whether the system downloads a file. Ends its other downloads for the bundle.
    ///
    /// - Parameters:
    ///   - wanted: The file that the bundle's update needs.
    ///   - waits: Whether the update waits for a download that hasn't begun.
    func isUnderWay(_ wanted: BackgroundDownload, waits: Bool) async -> Bool {
        await select(wanted, for: wanted.bundle, waits: waits).isUnderWay || events.isTaking(wanted)
    }

    /// Ends the downloads for a bundle, whose update needs none.
    func end(for bundle: BundleName) async {
        _ = await select(nil, for: bundle, waits: false)
    }

    private func select(_ wanted: BackgroundDownload?, for bundle: BundleName, waits: Bool) async -> TransferSelection {
        let selection = TransferSelection(of: wanted, for: bundle, waits: waits, among: await session.transfers())
        if !selection.cancelled.isEmpty { await session.cancel(selection.cancelled) }
        return selection
    }

    /// Has the system download what a file lacks, if that is worth it, and if the system can: credentials aren't given to it.
    ///
    /// - Returns: Whether it does.
    /// - Throws: As ``FileDownload/run()`` when there is no room for the file; ``/BundleModel/BundleError`` with code
    ///   `invalidArgument` when the request can't be sent.
    func start(_ wanted: BackgroundDownload, _ file: FileDownload, permitsMetered: Bool) throws -> Bool {
        let byteCount = file.missingByteCount
        guard byteCount >= leastByteCount, let request = try file.openRequest() else { return false }
        let transfer = TransferRequest(
            request: request,
            download: wanted,
            byteCount: byteCount,
            permitsMetered: permitsMetered
        )
        try session.start(transfer)
        return true
    }
}

/// How an update uses the downloads of the system. A value type; safe to share between threads.
struct BackgroundHandover: Sendable {
    let downloads: BackgroundDownloads
    /// Whether new ones are started, and waited for. Otherwise those that have begun are left alone, as a person waits.
    let starts: Bool

    /// Ends the system's downloads for a bundle whose process fetches what it needs of a release, unless the whole archive is on its way.
    ///
    /// - Throws: ``UpdatePostponement/downloading(_:)`` while it is.
    func end(for bundle: BundleName, of release: FeedRelease) async throws {
        let archive = BackgroundDownload(
            bundle: bundle,
            archive: release.digest,
            digest: release.digest,
            size: release.size
        )
        if await downloads.isUnderWay(archive, waits: starts) { throw UpdatePostponement.downloading(release.version) }
    }

    /// Leaves a file of a release to the system, unless it is there or the process fetches it itself.
    ///
    /// - Parameter permitsMetered: Whether the file may be fetched on a metered link.
    /// - Throws: ``UpdatePostponement/downloading(_:)`` while the system downloads the file; what
    ///   ``BackgroundDownloads/start(_:_:permitsMetered:)`` throws.
    func take(_ file: FileDownload, of release: FeedRelease, permitsMetered: Bool) async throws {
        let wanted = BackgroundDownload(
            bundle: file.bundle,
            archive: release.digest,
            digest: file.file.digest,
            size: file.file.size
        )
        guard file.missingByteCount > 0 else { return await downloads.end(for: file.bundle) }
        var isUnderWay = await downloads.isUnderWay(wanted, waits: starts)
        if !isUnderWay, starts { isUnderWay = try downloads.start(wanted, file, permitsMetered: permitsMetered) }
        if isUnderWay { throw UpdatePostponement.downloading(release.version) }
    }
}
