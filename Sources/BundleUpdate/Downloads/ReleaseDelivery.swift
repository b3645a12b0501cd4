import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Brings a release into the store by the cheapest plan. Whatever goes wrong with a plan, the next one is tried; the
/// archive is the last. A server that wants to be asked less ends it: the next plan would ask for more.
struct ReleaseDelivery {
    let store: BundleStore
    let installer: Installer
    let document: OriginDocument
    /// The bundle.
    let name: BundleName
    let release: FeedRelease
    /// Counts the bytes that arrive.
    let received: ByteCounter
    /// How the release is installed.
    let options: InstallOptions
    /// How it may be fetched.
    let plans: [PlanKind]
    /// Whether the bundle's updates come from the feed, by its manifest or by an operator.
    let isFollowed: Bool
    /// Whether contents may be those of other publishers.
    let sharesContents: Bool
    /// Where the system downloads files; nil where it doesn't.
    let background: BackgroundHandover?
    /// What may be fetched on a metered link.
    let onMetered: MeteredPolicy
    /// Where installations take turns.
    let permits: UpdatePermits
    /// Called with the bytes that are done: half of them are for fetching, half for installing.
    let progress: @Sendable (ByteProgress) -> Void
    /// Called when a plan has fetched everything, before it is installed; what it throws ends the delivery.
    let didFetch: (DeliveryReport) throws -> Void

    /// - Throws: What the plan with the archive throws, an error that every plan would end with, or that of a server that
    ///   wants to be asked less; ``UpdatePostponement`` when no plan is left that may be carried out. The cause is
    ///   ``RefusedRelease`` when something was fetched and can't be used.
    func run() async throws -> (InstallReport, DeliveryReport) {
        var failures: [PlanFailure] = []
        var lastError: BundleError?
        while true {
            guard let plan = try await planner.plan(after: &failures) else {
                throw Self.exhaustion(of: release, lastError)
            }
            let predicted = received.count &+ planner.missingByteCount(of: plan)
            let report = { [failures] in
                DeliveryReport(
                    plan: plan.kind,
                    predictedByteCount: predicted,
                    receivedByteCount: received.count,
                    failures: failures
                )
            }
            do {
                let installed = try await carryOut(plan) { try didFetch(report()) }
                // What plans that failed have fetched is of no use any more.
                store.removeDownloads(of: release, for: name)
                return (installed, report())
            } catch let error as BundleError where plan.kind != .archive && !error.asksForPause {
                // Parts of an archive have no digests until they are decoded: the site's cache may have sent wrong ones.
                if plan.kind == .entries, document.leaveCache() { continue }
                guard !Self.concernsRelease(error) else { throw refused(error) }
                failures.append(PlanFailure(plan: plan.kind, reason: error.message))
                lastError = error
            }
        }
    }

    private var planner: UpdatePlanner {
        UpdatePlanner(
            store: store,
            document: document,
            permits: permits,
            name: name,
            release: release,
            options: options,
            permitted: plans,
            isFollowed: isFollowed,
            sharesContents: sharesContents,
            received: received
        )
    }

    private func carryOut(_ plan: UpdatePlan, _ didFetch: () throws -> Void) async throws -> InstallReport {
        switch plan {
        case .patch(let patch, let base): try await apply(patch, to: base, didFetch)
        case .entries(let entries): try await assemble(entries, didFetch)
        case .archive(let archive): try await install(archive, didFetch)
        }
    }

    private func apply(_ patch: FeedPatch<URL>, to base: Release, _ didFetch: () throws -> Void) async throws
        -> InstallReport
    {
        guard let contents = release.contents else { throw Self.unannounced }
        let file = try await fetch(download(patch.file, limit: Int64(PatchLimits.maximumByteCount)), isPatch: true)
        // It is of no use any more, whether it could be applied or not.
        defer { try? file.remove() }
        try didFetch()
        return try await permits.install {
            try installer.install(
                patch: try file.bytes(),
                named: patch.file.location.reported,
                to: base,
                expecting: contents.filesDigest,
                options: options,
                progress: installing
            )
        }
    }

    private func assemble(_ entries: MissingEntries, _ didFetch: () throws -> Void) async throws -> InstallReport {
        guard let contents = release.contents else { throw Self.unannounced }
        try await background?.end(for: name, of: release)
        let download = planner.download(of: entries.ranges, progress: fetching)
        let file = try await document.fetching(release.source) { try await download.run() }
        defer { try? file.remove() }
        try didFetch()
        return try await permits.install {
            try installer.install(
                entries.list,
                from: download.path,
                named: release.source.reported,
                extents: entries.extents,
                expecting: contents.filesDigest,
                options: options,
                progress: installing
            )
        }
    }

    private func install(_ archive: FeedFile<URL>, _ didFetch: () throws -> Void) async throws -> InstallReport {
        let download = download(archive, limit: options.maximumArchiveByteCount)
        let file = try await fetch(download, isPatch: false)
        try didFetch()
        do {
            let report = try await permits.install {
                var options = options
                options.sourceName = release.source.reported
                return try installer.install(archive: download.path, options: options, progress: installing)
            }
            try? file.remove()
            return report
        } catch let error as BundleError {
            if !Self.mayPass(error) { try? file.remove() }
            throw refused(error)
        }
    }

    /// - Throws: As ``FileDownload/run()`` and ``BackgroundHandover/take(_:of:permitsMetered:)``.
    private func fetch(_ download: FileDownload, isPatch: Bool) async throws -> DownloadFile {
        let permitsMetered = onMetered.permitsFetching(isPatch: isPatch, isMetered: true)
        try await background?.take(download, of: release, permitsMetered: permitsMetered)
        return try await document.fetching(download.file.location) { try await download.run() }
    }

    private func download(_ file: FeedFile<URL>, limit: Int64) -> FileDownload {
        FileDownload(
            store: store,
            document: document,
            bundle: name,
            file: file,
            release: file == release.archive ? release : nil,
            maximumByteCount: limit,
            received: received,
            progress: fetching
        )
    }

    private var fetching: @Sendable (ByteProgress) -> Void {
        { [progress] in progress($0.preceding($0.total)) }
    }

    private var installing: (ByteProgress) -> Void {
        { [progress] in progress($0.following($0.total)) }
    }

    /// Why no plan is left: those that were tried have failed, and the others aren't permitted.
    ///
    /// - Parameter error: That of the last plan that was tried.
    private static func exhaustion(of release: FeedRelease, _ error: BundleError?) -> any Error {
        guard let error else { return UpdatePostponement.meteredLink(release.version) }
        let problem = BundleError(
            .networkUnavailable,
            "\(release.version) can't be fetched by what is permitted on a metered link: \(error.message)",
            cause: error.cause
        )
        return error.code == .networkUnavailable ? problem : problem.refusing(release, isFinal: false)
    }

    /// The error for a release that can't be installed, unless that may succeed later.
    private func refused(_ error: BundleError) -> BundleError {
        Self.mayPass(error) ? error : error.refusing(release, isFinal: Self.liesWithArchive(error))
    }

    private static var unannounced: BundleError {
        BundleError(.invalidFeed, "the feed doesn't announce the release's files")
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

    /// Whether the release itself is refused, so that another plan would end the same way.
    private static func concernsRelease(_ error: BundleError) -> Bool {
        [.originConflict, .versionConflict, .invalidManifest, .storeBusy, .newerFormat].contains(error.code)
    }
}

extension BundleStore {
    /// Removes what was downloaded of a release, by whatever plan. Call it while the bundle is locked for updating.
    func removeDownloads(of release: FeedRelease, for name: BundleName) {
        let files = [release.contents?.list].compactMap(\.self) + release.patches.map(\.file)
        for digest in [release.digest] + files.map(\.digest) { removeDownloads(of: DownloadKey(digest, of: name)) }
    }
}

/// How a release came into the store. A value type; safe to share between threads.
public struct DeliveryReport: Equatable, Sendable {
    /// The plan that succeeded.
    public let plan: PlanKind
    /// The bytes that it was expected to fetch, with the content list if that was read, and without what was there from an
    /// earlier attempt.
    public let predictedByteCount: Int64
    /// The bytes of content that arrived, of plans that failed too.
    public let receivedByteCount: Int64
    /// The plans that were tried before.
    public let failures: [PlanFailure]

    package init(
        plan: PlanKind,
        predictedByteCount: Int64,
        receivedByteCount: Int64,
        failures: [PlanFailure] = []
    ) {
        self.plan = plan
        self.predictedByteCount = predictedByteCount
        self.receivedByteCount = receivedByteCount
        self.failures = failures
    }
}

/// How a release is fetched. A value type; safe to share between threads.
public enum PlanKind: String, Sendable, CaseIterable, Encodable {
    /// A patch from a release that the store has.
    case patch
    /// Only the files whose contents the store lacks, as ranges of the archive.
    case entries
    /// The whole archive.
    case archive
}

/// A plan that came to nothing, so that another one was taken. A value type; safe to share between threads.
public struct PlanFailure: Equatable, Sendable, Encodable {
    /// The plan.
    public let plan: PlanKind
    /// Why, in words.
    public let reason: String
}

/// The cause of the error for a release that was fetched and can't be used. What was fetched has been removed.
///
/// A value type; safe to share between threads.
public struct RefusedRelease: Error, Sendable {
    /// The release, as the feed offered it.
    public let release: FeedRelease
    /// Whether it lies with the archive itself: then the same archive isn't fetched again, see
    /// ``UpdateRejection/failedBefore(reason:)``. Otherwise the next attempt may succeed.
    public let isFinal: Bool
    /// The error underneath, if there was one.
    public let cause: (any Error)?
}

extension BundleError {
    /// The same error, caused by the refusal of a release.
    func refusing(_ release: FeedRelease, isFinal: Bool) -> BundleError {
        BundleError(code, problem, remedy, cause: RefusedRelease(release: release, isFinal: isFinal, cause: cause))
    }
}
