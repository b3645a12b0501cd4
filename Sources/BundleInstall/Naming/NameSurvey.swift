import BundleStore

/// Which names of files have a hash of the content before a release of them is installed: by the names and the build manifests
/// alone. An installation also compares contents with their digests and with other releases.
package enum NameSurvey {
    /// The number of such files in each folder that has some.
    ///
    /// - Parameters:
    ///   - paths: The paths of all files, in any order.
    ///   - document: Reads a file, of which bytes beyond the given number don't matter; nil when it can't be read.
    /// - Returns: The numbers by the folder's path in the bundle, such as `/assets/`.
    package static func hashedFileCounts(
        _ paths: [String],
        reading document: (_ path: String, _ maximumByteCount: Int) -> [UInt8]?
    ) -> [String: Int] {
        var (census, buildManifests) = (NameCensus(), BuildManifests())
        var documents: [String] = []
        for path in paths.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            withBytes(of: path) { bytes in
                if BuildManifests.isOne(bytes) { documents.append(path) }
                if let token = NameToken(in: bytes) { census.add(token, at: bytes, nil) }
            }
        }
        for path in documents.prefix(BuildManifests.maximumCount) {
            // A longer one is refused.
            if let bytes = document(path, BuildManifests.maximumByteCount + 1) { buildManifests.add(bytes) }
        }
        let judgement = NameJudgement(.unbundled, census, buildManifests)
        return paths.reduce(into: [:]) { counts, path in
            withBytes(of: path) { bytes in
                guard judgement.expects(bytes) else { return }
                counts["/" + String(decoding: bytes.folder, as: UTF8.self), default: 0] += 1
            }
        }
    }

    private static func withBytes<Result>(of path: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var path = path
        return path.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
