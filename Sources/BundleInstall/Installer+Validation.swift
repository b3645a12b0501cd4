import BundleStore

extension Installer {
    /// Validates an archive as an installation would, up to the commit, in a temporary store that is removed
    /// afterwards.
    ///
    /// - Parameters:
    ///   - path: The archive.
    ///   - options: As for an installation; options about the commit have no effect.
    ///   - progress: Called now and then with the bytes of the archive that are read.
    /// - Throws: As ``install(archive:options:progress:)``; `storeUnavailable` when the temporary folder can't be written.
    public static func validate(
        archive path: String,
        options: InstallOptions = InstallOptions(),
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        try TemporaryStore().using { store in
            let candidate = try ArchiveCandidate(reading: path, options: options, into: store, progress)
            return candidate.report(in: store.snapshot)
        }
    }
}
