/// Decides what a version index says of the names of a release's files, when the release is committed. `BundleInstall` has the one
/// that finds names with a hash of the content. A value type; safe to share between threads.
public struct NameMarking: Sendable {
    /// Gives the mark of a file by its path, which is valid only during the call, and by the digest of its content.
    package typealias Marks = (_ path: UnsafeRawBufferPointer, Digest) -> NameMark

    /// No name says anything of the content.
    public static let none = NameMarking { _, _, _ in { _, _ in .none } }

    /// Called once for a release, before its index is written.
    let marks: @Sendable (BundleManifest, borrowing SealedRelease, InstalledContents) throws -> Marks

    /// - Parameter marks: Looks at the release's manifest and files, and at what the other releases of its bundle have under the
    ///   same paths. It may throw what reading the release throws.
    package init(
        _ marks: @escaping @Sendable (BundleManifest, borrowing SealedRelease, InstalledContents) throws -> Marks
    ) {
        self.marks = marks
    }
}

/// What another installed release of a bundle has under the same path.
package enum NameComparison: Sendable {
    case same
    case different
}

/// What the installed releases of a bundle have under a path.
package struct InstalledContents: Sendable {
    private let releases: [Release]

    init(of releases: [Release]) {
        self.releases = releases
    }

    /// Compares a content with theirs: it is different if it differs from one of them. Nil when none has the path.
    package func comparison(_ path: UnsafeRawBufferPointer, _ digest: Digest) -> NameComparison? {
        var comparison: NameComparison?
        for release in releases {
            guard let entry = release.index.find(path: path) else { continue }
            if entry.digest != digest { return .different }
            comparison = .same
        }
        return comparison
    }
}
