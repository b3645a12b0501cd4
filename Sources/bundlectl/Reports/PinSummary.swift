import BundleStore

/// The result of `pin` and `unpin`.
struct PinSummary: Report {
    let name: String
    let version: String
    let isPinned: Bool

    init(_ release: ReleaseReference, isPinned: Bool) {
        name = release.name.string
        version = release.version.string
        self.isPinned = isPinned
    }

    var lines: [String] {
        [isPinned ? "\(name)@\(version) is pinned: it stays until it is unpinned" : "\(name)@\(version) is not pinned"]
    }
}
