import OfflineBundles

/// What the window does when another version of its bundle responds.
enum UpdateNotice: Equatable, Sendable {
    case reload
    /// Tells the user, whose page may have something that isn't sent yet.
    case offer(version: String)

    /// Nil for other bundles, and when none responds any more: what is shown stays.
    init?(_ changed: BundleName, _ version: BundleVersion?, of name: BundleName, isKiosk: Bool) {
        guard changed == name, let version else { return nil }
        self = isKiosk ? .reload : .offer(version: "\(version)")
    }

    var text: String? {
        if case .offer(let version) = self { "Version \(version) is here. Reload to see it." } else { nil }
    }
}
