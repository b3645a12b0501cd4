import BundleStore

extension BundleStore {
    /// Installs a release without an archive: relative path → text.
    ///
    /// - Parameters:
    ///   - permitsOverlap: Whether its origins may overlap those of the other bundles.
    ///   - mediaType: The media type for a path and its content.
    /// - Throws: ``/BundleModel/BundleError`` as ``/BundleStore/ReleaseIngest`` and ``/BundleStore/SealedRelease`` do, and
    ///   ``/BundleModel/BundlePathError`` for an invalid path.
    @discardableResult
    package func install(
        _ manifest: BundleManifest,
        files: [String: String],
        activating: Bool = true,
        replacing: Bool = false,
        permitsOverlap: Bool = true,
        mediaType: (BundlePath, ByteSlice) -> String = { _, _ in "application/octet-stream" }
    ) throws -> InstallOutcome {
        let ingest = try beginIngest()
        for (path, text) in files {
            var text = text
            try text.withUTF8 { try ingest.append(UnsafeRawBufferPointer($0)) }
            try ingest.endFile(BundlePath(path))
        }
        return try ingest.seal().commit(
            manifest,
            mediaType: mediaType,
            activating: activating,
            replacing: replacing,
            permittingOverlapWith: permitsOverlap ? Set(snapshot.bundles.keys) : [],
            waits: false
        ).outcome
    }
}
