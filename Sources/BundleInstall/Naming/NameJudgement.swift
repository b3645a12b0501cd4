import BundleStore

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

    /// Looks at all names of a release and at its build manifests. Takes bounded memory, however many files there are.
    ///
    /// - Throws: What reading the release throws.
    init(
        _ manifest: BundleManifest,
        of release: borrowing SealedRelease,
        comparedWith others: InstalledContents
    ) throws {
        var (census, buildManifests) = (NameCensus(), BuildManifests())
        // The manifest's list decides alone.
        if manifest.immutable == nil {
            var documents: [IngestContent] = []
            try release.forEachFile { path, content in
                if documents.count < BuildManifests.maximumCount, content.byteCount <= BuildManifests.maximumByteCount,
                    BuildManifests.isOne(path)
                {
                    documents.append(content)
                }
                guard let token = NameToken(in: path) else { return }
                census.add(token, at: path, others.comparison(path, content.digest))
            }
            for document in documents {
                buildManifests.add(try release.bytes(of: document, atMost: BuildManifests.maximumByteCount))
            }
        }
        self.init(manifest, census, buildManifests)
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

extension NameMarking {
    /// Finds the names that have a hash of the content, and those of which the manifest says so.
    public static let hashedNames = NameMarking { manifest, release, others in
        let judgement = try NameJudgement(manifest, of: release, comparedWith: others)
        return { path, digest in judgement.mark(path, digest) { others.comparison(path, digest) } }
    }
}
