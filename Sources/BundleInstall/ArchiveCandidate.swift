import BundleArchive
import BundleStore

/// An archive that has been read completely and checked; only the commit remains.
struct ArchiveCandidate: ~Copyable {
    let manifest: BundleManifest
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
                warnings: warnings + OriginClaims.warnings(manifest, in: snapshot),
                quotaRemoval: quotaRemoval
            )
        }
    }

    /// Reads and checks the archive at `path`.
    ///
    /// - Throws: As ``Installer/install(archive:options:progress:)``, except `versionConflict`.
    init(
        reading path: String,
        options: InstallOptions,
        into store: BundleStore,
        _ progress: (ByteProgress) -> Void
    ) throws {
        let contents = try Self.readingArchive {
            try ArchiveContents(reading: path, options: options, store: store, progress)
        }
        guard contents.release.fileCount > 0 else {
            throw BundleError(.invalidArchive, "\(path): holds no file; nothing was installed; pack it again")
        }
        let (manifest, warnings) = try ReleaseManifest.choose(found: contents.manifest, options: options, archive: path)
        try ReleaseManifest.check(manifest, in: path) { try contents.release.files(among: $0) }
        self.manifest = manifest
        draft = Draft(
            manifest: manifest,
            fileCount: contents.release.fileCount,
            byteCount: contents.release.byteCount,
            newByteCount: contents.release.newByteCount,
            warnings: warnings + MacOSMetadata.warnings(leftOut: contents.leftOutCount, of: path)
        )
        release = contents.release
    }

    /// The report of an installation in a store with these bundles.
    func report(in snapshot: StoreSnapshot) -> InstallReport { draft.report(.installed, in: snapshot) }

    /// Adds the release to the store.
    ///
    /// - Throws: As ``/BundleStore/SealedRelease/commit(_:mediaType:activating:replacing:permittingOverlapWith:waits:givingUpPrevious:)``.
    consuming func commit(
        to store: BundleStore,
        options: InstallOptions,
        mediaType: Installer.MediaTyping
    ) throws -> InstallReport {
        let (manifest, draft) = (manifest, draft)
        let (outcome, quotaRemoval) = try release.commit(
            manifest,
            mediaType: { path, content in mediaType(path, content, manifest) },
            activating: try options.activates && (!options.isSeed || store.mayActivate(seed: manifest)),
            replacing: options.replaces,
            permittingOverlapWith: options.permittedOverlaps,
            waits: options.waits,
            givingUpPrevious: !options.keepsPrevious
        )
        if options.isSeed { try store.setSeed(manifest.name, manifest.version, waits: options.waits) }
        return draft.report(outcome, quotaRemoval, in: store.snapshot)
    }

    private static func readingArchive<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ArchiveError {
            throw BundleError(.invalidArchive, error.problem, error.remedy, cause: error)
        }
    }
}
