import BundleStore

/// The files that a feed no longer names, as its publisher sees them.
enum FileRemovals {
    static func lines(_ removed: [String]?, later: [String]?) -> [String] {
        (removed ?? []).map { "removed \(Printable.line($0))" }
            + (later ?? []).map { "\(Printable.line($0)) stays for a day, for those who have the feed before" }
    }
}
