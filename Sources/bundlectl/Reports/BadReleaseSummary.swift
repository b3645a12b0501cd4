import BundleStore

/// The result of `mark-bad`.
struct BadReleaseSummary: Report {
    let name: String
    let version: String
    /// The version that is active now.
    let active: String?
    /// Whether it stays active, because there is nothing to go back to.
    let stays: Bool

    init(_ release: BadRelease) {
        (name, version) = (release.name.string, release.version.string)
        (active, stays) = (release.active?.string, release.stays)
    }

    var lines: [String] {
        let marked = "\(name)@\(version) is marked bad"
        if stays { return ["\(marked), and stays active: there is no earlier version"] }
        return ["\(marked); \(active.map { "\($0) is active" } ?? "no version is active")"]
    }
}
