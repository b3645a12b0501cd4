import BundleStore
import Foundation

/// One installed version in a list.
struct ReleaseSummary: Encodable {
    let version: String
    let state: String
    let isPinned: Bool
    let fileCount: Int
    let byteCount: Int64
    let installedAt: Date
    let activatedAt: Date?

    init(_ release: Release) {
        version = release.version.string
        state = release.state.rawValue
        isPinned = release.isPinned
        fileCount = release.fileCount
        byteCount = release.byteCount
        installedAt = release.installedAt
        activatedAt = release.activatedAt
    }

    /// The state for a person: `retained`, `retained, pinned`.
    var stateText: String { isPinned ? "\(state), pinned" : state }
}
