import BundleInstall
import BundleStore

/// Checks a release before it is published. A value type; safe to share between threads.
package struct ArchiveLint: Sendable {
    private let allowed: [String]
    private let options: InstallOptions

    /// - Parameters:
    ///   - allowed: The beginnings of URLs elsewhere that the release may refer to.
    ///   - options: How the archives are read.
    package init(allowing allowed: [String] = [], options: InstallOptions = InstallOptions()) {
        self.allowed = allowed
        self.options = options
    }

    /// Installs an archive in a temporary store, and checks its files.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - previous: The archive of the version before, for the sizes; nil without one.
    /// - Throws: As ``/BundleInstall/Installer/install(archive:options:progress:)``, with code `storeUnavailable` when the
    ///   temporary folder can't be written; `CancellationError` when the task is cancelled.
    package func check(_ archive: String, after previous: String? = nil) throws -> LintReport {
        try withRelease(of: archive, options) { try check($0, in: $1, after: previous) }
    }

    /// Checks the files of a release.
    ///
    /// - Parameters:
    ///   - release: The release.
    ///   - snapshot: Of a store in which the release is active.
    ///   - previous: The archive of the version before, for the sizes; nil without one.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func check(
        _ release: Release,
        in snapshot: StoreSnapshot,
        after previous: String? = nil
    ) throws -> LintReport {
        let before = previous.flatMap(sizesIfReadable)
        try Task.checkCancellation()
        let lint = ReleaseLint(release: release, urls: ReleaseURLs(release, in: snapshot), allowed: allowed)
        return LintReport(try lint.findings(), sizes: Self.sizes(Self.sizes(release), before: before))
    }

    /// Only for comparison: an archive that can't be read, or has no manifest, is none.
    private func sizesIfReadable(_ archive: String) -> Sizes? {
        var options = options
        options.manifest = nil
        return try? withRelease(of: archive, options) { release, _ in Self.sizes(release) }
    }

    private func withRelease<Result>(
        of archive: String,
        _ options: InstallOptions,
        _ body: (Release, StoreSnapshot) throws -> Result
    ) throws -> Result {
        let draft = try ReleaseDraft(archive, options: options)
        return try withExtendedLifetime(draft) { try body(try draft.release, draft.snapshot) }
    }

    private typealias Sizes = [String: (fileCount: Int, byteCount: Int64)]

    private static func sizes(_ release: Release) -> Sizes {
        var sizes: Sizes = [:]
        for asset in release.assets {
            let type = String(asset.mediaType.prefix { $0 != ";" })
            let size = sizes[type] ?? (0, 0)
            sizes[type] = (size.fileCount + 1, size.byteCount + Int64(asset.byteCount))
        }
        return sizes
    }

    private static func sizes(_ sizes: Sizes, before: Sizes?) -> [LintReport.TypeSize] {
        Set(sizes.keys).union(before?.keys.map(\.self) ?? []).map { type in
            LintReport.TypeSize(
                mediaType: type,
                fileCount: sizes[type]?.fileCount ?? 0,
                byteCount: sizes[type]?.byteCount ?? 0,
                byteCountBefore: before.map { $0[type]?.byteCount ?? 0 }
            )
        }
        .sorted { ($1.byteCount, $0.mediaType) < ($0.byteCount, $1.mediaType) }
    }
}
