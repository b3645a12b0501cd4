import BundleEmbedding
import BundleInstall
import BundleNetwork
import BundleStore
import BundleUpdate
import CBundle

/// Several bundles, as a JSON document has them.
struct BundlesDocument<Entry: Encodable & Sendable>: Encodable, Sendable {
    let bundles: [Entry]
}

extension ReportHandle {
    convenience init(_ report: InstallReport) {
        let results = CResults([report]) { report, texts in
            ob_install_result(
                size: MemoryLayout<ob_install_result>.size,
                bundle: texts.add(report.name.string),
                version: texts.add(report.version.string),
                outcome: ob_install_outcome(report.outcome.number),
                file_count: UInt64(clamping: report.fileCount),
                byte_count: report.byteCount,
                new_byte_count: report.newByteCount
            )
        }
        self.init(report, results)
    }

    /// - Parameter isSingle: Whether the document is the one report, and not a list.
    convenience init(_ reports: [CheckReport], isSingle: Bool = false) {
        let results = CResults(reports) { report, texts in
            ob_check_result(
                size: MemoryLayout<ob_check_result>.size,
                bundle: texts.add(report.name.string),
                state: ob_check_state(report.state.number),
                is_on_hold: report.isOnHold == true ? 1 : 0,
                is_revoked: report.isRevoked == true ? 1 : 0,
                active: texts.add(report.active?.string),
                available: texts.add(report.available?.string),
                byte_count: UInt64(clamping: report.byteCount ?? 0),
                problem: texts.add(report.error ?? report.failure ?? report.postponement)
            )
        }
        self.init(reports, results, isSingle)
    }

    /// - Parameter isSingle: As in the one for checks.
    convenience init(_ reports: [UpdateReport], isSingle: Bool = false) {
        let results = CResults(reports) { report, texts in
            ob_update_result(
                size: MemoryLayout<ob_update_result>.size,
                bundle: texts.add(report.name.string),
                outcome: ob_update_outcome(report.outcome.number),
                is_revoked: report.isRevoked == true ? 1 : 0,
                from: texts.add(report.from?.string),
                to: texts.add(report.to?.string),
                new_byte_count: report.newByteCount ?? 0,
                received_byte_count: UInt64(clamping: report.receivedByteCount ?? 0),
                problem: texts.add(report.error ?? report.postponement)
            )
        }
        self.init(reports, results, isSingle)
    }

    convenience init(_ bundles: [BundleReport]) {
        let versions = bundles.flatMap { bundle in bundle.versions.map { (bundle, $0) } }
        let results = CResults(versions) { item, texts in
            let (bundle, version) = item
            return ob_release_result(
                size: MemoryLayout<ob_release_result>.size,
                bundle: texts.add(bundle.name.string),
                version: texts.add(version.version.string),
                flags: bundle.flags(of: version),
                file_count: UInt64(clamping: version.fileCount),
                byte_count: UInt64(clamping: version.byteCount)
            )
        }
        self.init(BundlesDocument(bundles: bundles), results)
    }

    convenience init(_ report: VerificationReport) {
        let results = CResults(report.damage) { damage, texts in
            ob_damage_result(
                size: MemoryLayout<ob_damage_result>.size,
                bundle: texts.add(damage.name),
                version: texts.add(damage.version),
                path: texts.add(damage.path),
                problem: texts.add(damage.problem)
            )
        }
        self.init(report, results)
    }

    convenience init(_ use: StorageUse) {
        let results = CResults([use]) { use, _ in
            ob_quota_result(
                size: MemoryLayout<ob_quota_result>.size,
                quota: UInt64(clamping: use.quota ?? 0),
                byte_count: UInt64(clamping: use.byteCount),
                removable_byte_count: UInt64(clamping: use.removableByteCount)
            )
        }
        self.init(use, results)
    }

    convenience init(_ report: PruningReport) {
        let results = CResults([report]) { report, _ in
            ob_prune_result(
                size: MemoryLayout<ob_prune_result>.size,
                version_count: UInt64(report.versions.count),
                file_count: UInt64(clamping: report.fileCount),
                byte_count: UInt64(clamping: report.byteCount) &+ UInt64(clamping: report.compaction.byteCount)
            )
        }
        self.init(report, results)
    }

    convenience init(_ summaries: [PrecacheSummary]) {
        let results = CResults(summaries) { summary, texts in
            ob_precache_result(
                size: MemoryLayout<ob_precache_result>.size,
                bundle: texts.add(summary.name.string),
                url_count: UInt64(clamping: summary.urlCount),
                stored_count: UInt64(clamping: summary.storedCount),
                fetched_count: UInt64(clamping: summary.fetchedCount),
                problem: texts.add(summary.failure)
            )
        }
        self.init(BundlesDocument(bundles: summaries), results)
    }

    private convenience init<Entry: Encodable & Sendable>(_ entries: [Entry], _ results: CResults, _ isSingle: Bool) {
        if isSingle, let entry = entries.first {
            self.init(entry, results)
        } else {
            self.init(BundlesDocument(bundles: entries), results)
        }
    }
}

extension InstallOutcome {
    fileprivate var number: Int {
        switch self {
        case .installed: OB_INSTALLED
        case .activated: OB_ACTIVATED
        case .unchanged: OB_UNCHANGED
        }
    }
}

extension CheckReport.State {
    fileprivate var number: Int {
        switch self {
        case .upToDate: OB_CHECK_UP_TO_DATE
        case .updateAvailable: OB_CHECK_UPDATE_AVAILABLE
        case .noFeed: OB_CHECK_NO_FEED
        case .postponed: OB_CHECK_POSTPONED
        case .failed: OB_CHECK_FAILED
        }
    }
}

extension UpdateReport.Outcome {
    fileprivate var number: Int {
        switch self {
        case .upToDate: OB_UPDATE_UP_TO_DATE
        case .updated: OB_UPDATE_UPDATED
        case .pending: OB_UPDATE_PENDING
        case .noFeed: OB_UPDATE_NO_FEED
        case .postponed: OB_UPDATE_POSTPONED
        case .failed: OB_UPDATE_FAILED
        }
    }
}

extension BundleReport {
    /// What is true of one of its versions.
    fileprivate func flags(of release: ReleaseReport) -> ob_release_flags {
        let flags = [
            (OB_RELEASE_ACTIVE, release.state == .active), (OB_RELEASE_SERVING, release.version == serving),
            (OB_RELEASE_PENDING, release.version == pending),
            (OB_RELEASE_ON_PROBATION, release.state == .active && isOnProbation),
            (OB_RELEASE_SEED, release.version == seed), (OB_RELEASE_PINNED, release.isPinned),
            (OB_RELEASE_DAMAGED, release.isDamaged), (OB_RELEASE_WITHDRAWN, release.withdrawn != nil),
        ]
        return flags.reduce(0) { $1.1 ? $0 | ob_release_flags($1.0) : $0 }
    }
}
