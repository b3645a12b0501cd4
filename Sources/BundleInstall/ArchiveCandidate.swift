import BundleArchive
import BundleStore

/// An archive that has been read completely and checked; only the commit remains.
struct ArchiveCandidate {
    let ingest: ReleaseIngest
    let manifest: BundleManifest
    let warnings: [String]

    /// Reads and checks the archive at `path`.
    ///
    /// - Throws: As ``Installer/install(archive:options:progress:)``, except `versionConflict`.
    init(reading path: String, options: InstallOptions, into store: BundleStore, _ progress: (Int64) -> Void) throws {
        let contents = try Self.readingArchive {
            try ArchiveContents(reading: path, options: options, store: store, progress)
        }
        ingest = contents.ingest
        guard ingest.fileCount > 0 else {
            throw BundleError(.invalidArchive, "\(path): holds no file; nothing was installed; pack it again")
        }
        let (manifest, warnings) = try ReleaseManifest.choose(found: contents.manifest, options: options, archive: path)
        try ReleaseManifest.check(manifest, in: path) { [ingest] in try ingest.files(among: $0) }
        self.manifest = manifest
        self.warnings = warnings + MacOSMetadata.warnings(leftOut: contents.leftOutCount, of: path)
    }

    /// The report of the outcome.
    func report(_ outcome: ReleaseIngest.Outcome, in snapshot: StoreSnapshot) -> InstallReport {
        InstallReport(
            name: manifest.name,
            version: manifest.version,
            outcome: outcome,
            fileCount: ingest.fileCount,
            byteCount: ingest.byteCount,
            newByteCount: outcome == .installed ? ingest.newByteCount : 0,
            warnings: warnings + OriginClaims.warnings(manifest, in: snapshot),
            quotaRemoval: ingest.quotaRemoval
        )
    }

    private static func readingArchive<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ArchiveError {
            throw BundleError(.invalidArchive, error.problem, error.remedy, cause: error)
        }
    }
}
