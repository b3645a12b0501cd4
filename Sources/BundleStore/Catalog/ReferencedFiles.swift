/// The files that the store needs.
struct ReferencedFiles: Sendable {
    var segments: Set<FileIdentifier>
    var indexes: Set<FileIdentifier>
    var bodies: Set<FileIdentifier>

    /// Adds the files that `releases` are read from, which the catalog may have recorded wrongly.
    mutating func formUnion(_ releases: [Release]) {
        for release in releases {
            indexes.insert(release.index.identifier)
            segments.formUnion(release.index.segments)
        }
    }
}
