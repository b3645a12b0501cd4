import BundleStore

extension Installer {
    /// Installs the release that a patch makes of another one.
    ///
    /// Each file that results is hashed, and all of them are compared with what was announced before anything is
    /// committed; so the old release needn't be verified. Besides the mapped contents it takes as much memory as the
    /// patch is long.
    ///
    /// - Parameters:
    ///   - patch: The patch, at most ``PatchLimits/maximumByteCount``.
    ///   - name: Its URL in errors.
    ///   - base: The release that it is for.
    ///   - filesDigest: The digest that the feed announces for the files.
    ///   - options: As for ``install(archive:options:progress:)``.
    ///   - progress: Called now and then with the bytes of the contents that are done.
    /// - Throws: As ``install(archive:options:progress:)``; `invalidFeed` when it isn't a patch for that release, or
    ///   doesn't lead to those files.
    package func install(
        patch: [UInt8],
        named name: String,
        to base: Release,
        expecting filesDigest: Digest,
        options: InstallOptions,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        let result: PatchDecoder.Result
        do {
            result = try decode(patch, from: base, to: filesDigest)
        } catch let error as BundleError where error.code == .invalidFeed {
            throw error.located(at: Printable.text(name))
        }
        let listing = try PatchListing(
            parsing: result.listing,
            contentByteCount: result.contents.count,
            limits: options.limits
        )
        let assembly = try ReleaseAssembly(in: store, limits: options.limits)
        try withExtendedLifetime(result.memory) {
            try assembly.ingest.withoutCopying {
                try Self.add(listing.files, of: result.contents, to: assembly.ingest, progress)
            }
        }
        return try assembly.finish(expecting: filesDigest, from: name, options: options)
            .commit(to: store, options: options)
    }

    private func decode(_ patch: [UInt8], from base: Release, to filesDigest: Digest) throws -> PatchDecoder.Result {
        guard let old = try WholeContent(of: base, in: store) else {
            throw BundleError(.invalidFeed, "is a patch for a release that is too large for one")
        }
        return try patch.withUnsafeBytes { try PatchDecoder.decode($0, from: old, to: filesDigest, in: store) }
    }

    private static func add(
        _ files: [PatchListing.File],
        of contents: UnsafeRawBufferPointer,
        to ingest: borrowing ReleaseIngest,
        _ progress: (ByteProgress) -> Void
    ) throws {
        var added: [(range: Range<Int>, digest: Digest)] = []
        added.reserveCapacity(files.count)
        var end = 0
        for file in files {
            try Task.checkCancellation()
            switch file.content {
            case .own(let byteCount):
                let range = end..<end + byteCount
                added.append((range, Digest(of: UnsafeRawBufferPointer(rebasing: contents[range]))))
                end = range.upperBound
            case .same(let number): added.append(added[number])
            }
            guard let (range, digest) = added.last else { continue }
            try ingest.add(file.path, UnsafeRawBufferPointer(rebasing: contents[range]), digest: digest)
            progress(ByteProgress(done: Int64(end), total: Int64(contents.count)))
        }
    }
}
