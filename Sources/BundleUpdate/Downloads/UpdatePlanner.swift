import BundleInstall
import BundleStore
import Foundation
import HTTPCore

/// Finds the cheapest way to fetch a release.
package struct UpdatePlanner {
    /// The content list is fetched when it is at most this part of the cheapest plan that is known without it.
    private static let listDivisor: Int64 = 8

    let store: BundleStore
    let document: OriginDocument
    /// Where content lists are read one at a time.
    let permits: UpdatePermits
    /// The bundle.
    let name: BundleName
    let release: FeedRelease
    let options: InstallOptions
    /// How the release may be fetched.
    let permitted: [PlanKind]
    /// Whether the bundle's updates come from the feed, by its manifest or by an operator.
    let isFollowed: Bool
    /// Whether contents may be those of other publishers.
    let sharesContents: Bool
    let received: ByteCounter

    /// The cheapest plan.
    ///
    /// - Parameter failures: What has been tried; a content list that can't be used is added.
    /// - Returns: Nil when no plan is left.
    /// - Throws: ``/BundleModel/BundleError`` when the server of the content list wants to be asked less; `CancellationError`
    ///   when the task is cancelled.
    func plan(after failures: inout [PlanFailure]) async throws -> UpdatePlan? {
        let possible = Set(permitted).subtracting(failures.map(\.plan))
        let known = [
            possible.contains(.patch) ? patchPlan() : nil,
            possible.contains(.archive) ? UpdatePlan.archive(release.archive) : nil,
        ].compactMap(\.self)
        let best = known.min { cost($0) < cost($1) }
        guard possible.contains(.entries), best.map(mayBeBeaten) ?? true,
            let list = list(for: best.map(cost) ?? release.size)
        else { return best }
        do {
            let bytes = try await fetch(list)
            let entries = try await permits.install {
                let usable = usable
                return MissingEntries(of: try read(bytes, from: list)) { digest in
                    usable.contains { $0.asset(withContent: digest) != nil }
                }
                .map(UpdatePlan.entries)
            }
            return [best, entries].compactMap(\.self).min { cost($0) < cost($1) }
        } catch let error as BundleError where !error.asksForPause {
            failures.append(PlanFailure(plan: .entries, reason: error.message))
            return best
        }
    }

    /// The bytes that a plan has still to fetch.
    func missingByteCount(of plan: UpdatePlan) -> Int64 {
        switch plan {
        case .patch(let patch, _): missingByteCount(of: patch.file)
        case .entries(let entries): entries.ranges.byteCount - download(of: entries.ranges) { _ in }.presentByteCount
        case .archive(let archive): missingByteCount(of: archive)
        }
    }

    private func missingByteCount(of file: FeedFile<URL>) -> Int64 {
        max(file.size - store.downloadedByteCount(of: DownloadKey(file.digest, of: name)), 0)
    }

    /// Downloads single files of the archive.
    func download(of ranges: ByteRanges, progress: @escaping @Sendable (ByteProgress) -> Void) -> RangeDownload {
        RangeDownload(
            store: store,
            document: document,
            bundle: name,
            archive: release.archive,
            ranges: ranges,
            maximumByteCount: options.maximumArchiveByteCount,
            received: received,
            progress: progress
        )
    }

    /// What decides between plans: the bytes, and what requests take besides.
    private func cost(_ plan: UpdatePlan) -> Int64 {
        // A feed may say any size.
        let (sum, overflow) = missingByteCount(of: plan).addingReportingOverflow(plan.requestCost)
        return overflow ? .max : sum
    }

    private func patchPlan() -> UpdatePlan? {
        guard !release.patches.isEmpty, release.contents != nil else { return nil }
        let versions = Set(release.patches.map(\.from.string))
        let bases = usable.filter { $0.isReadable && versions.contains($0.version.string) }
            .map { ($0, $0.filesDigest()) }
        let plans = release.patches.filter { $0.file.size <= PatchLimits.maximumByteCount }
            .compactMap { patch in
                bases.first { $0.1 == patch.base }.map { UpdatePlan.patch(patch, base: $0.0) }
            }
        return plans.min { cost($0) < cost($1) }
    }

    /// Whether single files may cost less: patches are published only where they are smaller than a content list and the files
    /// that their base lacks, or tiny, so it takes a store that has more than the base.
    private func mayBeBeaten(_ plan: UpdatePlan) -> Bool {
        guard case .patch(_, let base) = plan else { return true }
        return usable.contains { $0 !== base }
    }

    /// The content list, if it is worth its bytes.
    private func list(for cost: Int64) -> FeedFile<URL>? {
        release.contents?.list
            .flatMap { Self.isWorthFetching(listOf: $0.size, whenOthersCost: cost) ? $0 : nil }
    }

    /// Whether clients fetch a content list of this length to find out which files they lack.
    package static func isWorthFetching(listOf byteCount: Int64, whenOthersCost cost: Int64) -> Bool {
        byteCount <= min(cost / listDivisor, ContentList.maximumEncodedByteCount)
    }

    /// The releases whose contents may be used: by the digests that it names, a feed could find out what other publishers' bundles
    /// contain, and have that served as its own. A manifest may name any origin as its bundle's, a feed proves the host that it
    /// came from.
    ///
    /// A name may pass from one publisher to another: of the bundle's own releases those of the current publisher count, for
    /// the feed that it follows.
    private var usable: [Release] {
        let current = store.snapshot.bundles[name]?.current.map { BundlePublisher(of: $0.manifest) }
        return store.snapshot.releases.filter { stored in
            let publisher = BundlePublisher(of: stored.manifest)
            let isOwn = isFollowed && stored.name == name && current.map(publisher.isSame) == true
            return sharesContents || isOwn || publisher.authorities.contains(release.feedAuthority)
        }
    }

    private func fetch(_ file: FeedFile<URL>) async throws -> [UInt8] {
        let download = FileDownload(
            store: store,
            document: document,
            bundle: name,
            file: file,
            release: nil,
            maximumByteCount: ContentList.maximumEncodedByteCount,
            received: received
        ) { _ in }
        let downloaded = try await document.fetching(file.location) { try await download.run() }
        let bytes = try downloaded.bytes()
        try downloaded.remove()
        return bytes
    }

    private func read(_ bytes: [UInt8], from file: FeedFile<URL>) throws -> ContentList {
        let list = try ContentList(
            reading: bytes,
            named: file.location.reported,
            archiveByteCount: release.size,
            limits: options.limits
        )
        guard list.archive == release.digest, list.version.string == release.version.string else {
            throw BundleError(.invalidFeed, "\(file.location.reported) is the content list of another archive")
        }
        return list
    }
}

/// How a release is fetched, with all that is needed to do it. A value type; safe to share between threads.
enum UpdatePlan: Sendable {
    case patch(FeedPatch<URL>, base: Release)
    case entries(MissingEntries)
    case archive(FeedFile<URL>)

    var kind: PlanKind {
        switch self {
        case .patch: .patch
        case .entries: .entries
        case .archive: .archive
        }
    }

    /// What its requests take besides, in bytes.
    var requestCost: Int64 {
        guard case .entries(let entries) = self else { return ByteRanges.requestByteCount }
        return Int64(entries.ranges.ranges.count) * ByteRanges.requestByteCount
    }
}
