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
