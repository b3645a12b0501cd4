import BundleInstall
import BundleStore
import Foundation

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
