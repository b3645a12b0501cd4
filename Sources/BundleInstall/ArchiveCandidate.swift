import BundleArchive
import BundleStore
import HTTPCore

/// An archive that has been read completely and checked; only the commit remains.
package struct ArchiveCandidate: ~Copyable {
    package let manifest: BundleManifest
    private let release: SealedRelease
    private let draft: Draft

    /// What a report says before the outcome is known.
    private struct Draft {
        let manifest: BundleManifest
        let fileCount: Int
        let byteCount: UInt64
        let newByteCount: UInt64
        let warnings: [String]

        func report(
            _ outcome: InstallOutcome,
            _ quotaRemoval: QuotaRemoval = QuotaRemoval(),
            in snapshot: StoreSnapshot
        ) -> InstallReport {
            InstallReport(
                name: manifest.name,
                version: manifest.version,
                outcome: outcome,
                fileCount: fileCount,
                byteCount: byteCount,
                newByteCount: outcome == .installed ? newByteCount : 0,
                warnings: warnings + PermittedOverlaps.warnings(manifest, in: snapshot)
                    + ImmutableFiles.warnings(manifest, in: snapshot),
                quotaRemoval: quotaRemoval
            )
        }
    }

    /// Reads and checks the archive at `path`.
    ///
    /// - Parameters:
    ///   - formats: The archive formats that are read.
    ///   - replacement: The manifest that counts in place of the archive's own, which may then be wrong or missing. The
    ///     archive's file stays among the files of the release.
    /// - Throws: As ``Installer/install(archive:options:progress:)``, except `versionConflict`.
    package init(
        reading path: String,
        _ formats: ArchiveFormats,
        options: InstallOptions,
        replacement: ManifestFile? = nil,
        into store: BundleStore,
        _ progress: (ByteProgress) -> Void
    ) throws {
        let contents = try Self.readingArchive {
            try ArchiveContents(reading: path, formats, options: options, store: store, progress)
        }
        let (manifest, leftOutCount) = (contents.manifest, contents.leftOutCount)
        try self.init(
            contents.release,
            manifest: manifest,
            replacement: replacement,
            from: options.sourceName ?? path,
            options: options,
            warnings: MacOSMetadata.warnings(leftOut: leftOutCount, of: options.sourceName ?? path)
        )
    }

    /// Checks the files of a release that has been read.
    ///
    /// - Parameters:
    ///   - release: The files.
    ///   - manifest: The manifest among them; nil when there is none.
    ///   - replacement: The manifest that counts in its place.
    ///   - source: Where they came from, in errors.
    ///   - options: As for an installation.
    ///   - warnings: What else is to be told.
    /// - Throws: As ``Installer/install(archive:options:progress:)``, except `versionConflict`.
    package init(
        _ release: consuming SealedRelease,
        manifest: [UInt8]?,
        replacement: ManifestFile? = nil,
        from source: String,
        options: InstallOptions,
        warnings: [String] = []
    ) throws {
        guard release.fileCount > 0 else {
            throw BundleError(.invalidArchive, "\(source): holds no file; nothing was installed; pack it again")
        }
        if let expected = options.expectedFiles, try release.filesDigest() != expected {
            throw BundleError(
                .invalidFeed,
                "\(source): doesn't lead to the files that its publisher has signed; nothing was installed; publish it again"
            )
        }
        let (chosen, oddities) = try ReleaseManifest.choose(
            found: manifest,
            replacement: replacement,
            options: options,
            archive: source
        )
        try ReleaseManifest.check(chosen, in: source) { try release.files(among: $0) }
        let patterns = PatternUse.warnings(
            chosen,
            among: try release.paths(unless: !PatternUse.isNeeded(chosen)),
            in: source
        )
        let folder = manifest == nil ? release.topFolder : nil
        self.manifest = chosen
        draft = Draft(
            manifest: chosen,
            fileCount: release.fileCount,
            byteCount: release.byteCount,
            newByteCount: release.newByteCount,
            warnings: oddities + patterns + ReleaseManifest.warnings(topFolder: folder, of: chosen, in: source)
                + warnings
        )
        self.release = release
    }

    /// The report of an installation in a store with these bundles.
    package func report(in snapshot: StoreSnapshot) -> InstallReport { draft.report(.installed, in: snapshot) }

    /// Adds the release to the store.
    ///
    /// - Throws: As ``/BundleStore/SealedRelease/commit(_:mediaType:marking:activating:replacing:permittingOverlapWith:waits:checking:givingUpPrevious:)``.
    package consuming func commit(to store: BundleStore, options: InstallOptions) throws -> InstallReport {
        let (manifest, draft) = (manifest, draft)
        let (outcome, quotaRemoval) = try release.commit(
            manifest,
            mediaType: { path, content in
                MediaType.detect(path, content, overrides: manifest.mediaTypes).string
            },
            marking: .hashedNames,
            activating: try options.activates && (!options.isSeed || store.mayActivate(seed: manifest)),
            replacing: options.replaces,
            permittingOverlapWith: options.permittedOverlaps,
            waits: options.waits,
            checking: { bundle in
                try Self.checkTrust(in: manifest.name, store, options)
                try options.precondition(bundle)
            },
            givingUpPrevious: !options.keepsPrevious
        )
        if options.isSeed { try store.setSeed(manifest.name, manifest.version, waits: options.waits) }
        return draft.report(outcome, quotaRemoval, in: store.snapshot)
    }

    /// The one place that all installations pass: nothing that isn't signed becomes readable where it has to be.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `untrusted` when nobody vouches for the files; `storeDamaged` when what is
    ///   trusted can't be read.
    private static func checkTrust(in name: BundleName, _ store: BundleStore, _ options: InstallOptions) throws {
        guard options.expectedFiles == nil, !options.isPartOfApp,
            try options.requiresTrust || options.signedBundles.contains(name) || store.trustAnchor(of: name) != nil
        else { return }
        throw BundleError(
            .untrusted,
            "the releases of \(name) have to be signed by their publisher, and this one isn't among those that are known; install it from "
                + "its feed, or from the folder that has its feed and what is signed"
        )
    }

    private static func readingArchive<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ArchiveError {
            throw BundleError(error)
        }
    }
}
