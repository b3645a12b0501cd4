/// Decides which names of a release have a hash of the content in them. Pure.
///
/// A false positive keeps an old file in browsers for a year, a false negative costs a revalidation; so doubtful names
/// don't count.
struct NameJudgement {
    private let manifest: BundleManifest
    private let census: NameCensus
    private let buildManifests: BuildManifests

    /// - Parameters:
    ///   - manifest: Where it has a list of immutable files, that decides alone.
    ///   - census: The names of the release.
    ///   - buildManifests: What the release's build manifests say.
    init(_ manifest: BundleManifest, _ census: NameCensus, _ buildManifests: BuildManifests) {
        self.manifest = manifest
        self.census = census
        self.buildManifests = buildManifests
    }

    /// What the index records of the file at `path`.
    ///
    /// - Parameter comparison: What other releases have under the path; nil for nothing.
    func mark(_ path: UnsafeRawBufferPointer, _ digest: Digest, _ comparison: () -> NameComparison?) -> NameMark {
        let token = NameToken(in: path)
        if manifest.immutable != nil {
            let isDeclared = manifest.declaresImmutable(BundlePath(valid: String(decoding: path, as: UTF8.self)))
            return isDeclared ? NameMark(.manifest, hash: token?.range) : .none
        }
        guard let token, let reason = reason(token, path, digest), comparison() != .different else { return .none }
        return NameMark(reason, hash: token.range)
    }

    /// Whether the name of the file at `path` has a hash, as far as that is known without its content.
    func expects(_ path: UnsafeRawBufferPointer) -> Bool {
        NameToken(in: path).flatMap { reason($0, path, nil) } != nil
    }

    private func reason(_ token: NameToken, _ path: UnsafeRawBufferPointer, _ digest: Digest?) -> Immutability? {
        if let digest, token.alphabet == .hexadecimal, digest.hex.utf8.starts(with: token.text) { return .digest }
        guard !census.isRefuted(token, at: path) else { return nil }
        if token.look > .doubtful, buildManifests.name(path[path.folder.count...]) { return .buildManifest }
        guard OutputKind.includes(path[token.range.upperBound...]) else { return nil }
        if census.hasHashedSiblings(token, at: path) { return .siblings }
        // At a name's beginning it may as well be the identifier of a record.
        return token.look == .random && token.separator != UInt8(ascii: "/") ? .name : nil
    }
}

extension UnsafeRawBufferPointer {
    /// The part of a path before the file's name, with the slash.
    var folder: Slice<UnsafeRawBufferPointer> { self[..<((lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)] }
}

/// The files that bundlers put hashes into the names of. Documents aren't among them: a data file whose name has a number
/// in hexadecimal digits is likelier a record than the output of a build.
enum OutputKind {
    private static let suffixes: Set<String> = [
        "js", "mjs", "cjs", "css", "wasm", "map", "woff", "woff2", "ttf", "otf", "eot", "png", "jpg", "jpeg", "gif",
        "webp",
        "avif", "svg", "ico", "mp3", "mp4", "m4a", "ogg", "wav", "webm",
    ]

    /// Whether what follows a hash in a file's name, such as `.chunk.js.map`, has the suffix of one.
    static func includes(_ suffix: some Collection<UInt8>) -> Bool {
        suffix.split(separator: UInt8(ascii: ".")).contains { suffixes.contains(String(decoding: $0, as: UTF8.self)) }
    }
}

extension SealedRelease {
    /// Looks at all names of the release and at its build manifests, to decide which names have a hash of the content.
    ///
    /// - Throws: `Errno` when the ingested data can't be read.
    func nameJudgement(_ manifest: BundleManifest, comparedWith others: InstalledContents) throws -> NameJudgement {
        var (census, buildManifests) = (NameCensus(), BuildManifests())
        // The manifest's list decides alone.
        guard manifest.immutable == nil else { return NameJudgement(manifest, census, buildManifests) }
        var documents: [IngestContent] = []
        try forEachFile { path, content in
            if documents.count < BuildManifests.maximumCount, content.byteCount <= BuildManifests.maximumByteCount,
                BuildManifests.isOne(path)
            {
                documents.append(content)
            }
            guard let token = NameToken(in: path) else { return }
            census.add(token, at: path, others.comparison(path, content.digest))
        }
        for content in documents {
            let location = files.location(of: content)
            buildManifests.add(try files.writer.read(location, atMost: BuildManifests.maximumByteCount))
        }
        return NameJudgement(manifest, census, buildManifests)
    }
}

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
