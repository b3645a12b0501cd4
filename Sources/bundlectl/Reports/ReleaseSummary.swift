import BundleStore
import Foundation

/// One installed version in a list.
struct ReleaseSummary: Encodable {
    let version: String
    let state: String
    let isPinned: Bool
    let isDamaged: Bool
    let fileCount: Int
    let byteCount: Int64
    let installedAt: Date
    let activatedAt: Date?
    /// Why nothing of it is used; nil when it may be.
    let withdrawn: String?

    /// - Parameter withdrawal: Why nothing of it is used; nil when it may be.
    init(_ release: Release, _ withdrawal: Withdrawal? = nil) {
        version = release.version.string
        state = release.state.rawValue
        isPinned = release.isPinned
        isDamaged = !release.isReadable
        fileCount = release.fileCount
        byteCount = release.byteCount
        installedAt = release.installedAt
        activatedAt = release.activatedAt
        withdrawn = withdrawal?.reason.rawValue
    }

    /// The state as text: `retained`, `retained, pinned`, `active, damaged`.
    var stateText: String { Self.stateText(state, isPinned: isPinned, isDamaged: isDamaged) }

    static func stateText(_ state: String, isPinned: Bool, isDamaged: Bool) -> String {
        ([state] + (isPinned ? ["pinned"] : []) + (isDamaged ? ["damaged"] : [])).joined(separator: ", ")
    }
}

extension InstalledBundle {
    /// All versions, including those that can't be opened; the active one first.
    var summaries: [ReleaseSummary] {
        (damaged.filter { $0.state == .active } + releases + damaged.filter { $0.state != .active })
            .map { ReleaseSummary($0, withdrawal(of: $0.version)) }
    }
}
