/// What the installed releases of a bundle have under a path.
struct InstalledContents {
    private let releases: [Release]

    init(of releases: [Release]) {
        self.releases = releases
    }

    /// Compares a content with theirs: it is different if it differs from one of them. Nil when none has the path.
    func comparison(_ path: UnsafeRawBufferPointer, _ digest: Digest) -> NameComparison? {
        var comparison: NameComparison?
        for release in releases {
            guard let entry = release.index.find(path: path) else { continue }
            if entry.digest != digest { return .different }
            comparison = .same
        }
        return comparison
    }
}
