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

/// What a check of a release has found. A value type.
package struct LintReport: Sendable {
    /// The files of one media type.
    package struct TypeSize: Equatable, Sendable {
        package let mediaType: String
        package let fileCount: Int
        package let byteCount: Int64
        /// The bytes in the version before; nil without one.
        package let byteCountBefore: Int64?
    }

    /// The first ``LintLimits/maximumFindingCount``, errors first, otherwise by file and line.
    package let findings: [LintFinding]
    /// How many there are in all.
    package let findingCount: Int
    package let errorCount: Int
    /// By media type, the largest first.
    package let sizes: [TypeSize]

    init(_ findings: [LintFinding], sizes: [TypeSize]) {
        let sorted = findings.filter(\.isError) + findings.filter { !$0.isError }
        self.findings = Array(sorted.prefix(LintLimits.maximumFindingCount))
        findingCount = findings.count
        errorCount = findings.count(where: \.isError)
        self.sizes = sizes
    }
}

/// Something about a release that its publisher should know. A value type.
package struct LintFinding: Equatable, Sendable {
    /// What it is, for programs.
    package enum Code: String, Sendable {
        /// A file below the release's origins that it doesn't have.
        case missing
        /// A URL elsewhere.
        case external
        /// A specifier that isn't a URL, and that no import map has.
        case specifier
        /// A source map that the release doesn't have, or one that lacks sources which the release doesn't have either.
        case sourceMap
        /// A reference that is no URL.
        case invalidURL
        /// A page that a link leads to, below the release's origins, that it doesn't have.
        case deadLink
        /// The entry page that a manifest needn't name isn't there.
        case entry
        /// A script or a style sheet that browsers refuse for its media type.
        case mediaType
        /// Files whose media type isn't known.
        case unknownMediaType
        /// A file that is too long to be searched, or has too many references.
        case unchecked
    }

    package let code: Code
    /// Whether something would miss offline or not work; otherwise it is a hint.
    package let isError: Bool
    /// The file that it is about; nil for the release as a whole.
    package let file: String?
    /// The line in the file, from 1; nil when it is about the whole file.
    package let line: Int?
    /// In words, without a capital and a full stop, as a part of a line.
    package let message: String

    init(_ code: Code, isError: Bool, file: String? = nil, line: Int? = nil, _ message: String) {
        self.code = code
        self.isError = isError
        self.file = file
        self.line = line
        self.message = message
    }
}

/// How much a check reads and tells. A value type.
package enum LintLimits {
    /// A longer file isn't searched for references, in bytes.
    static let maximumFileByteCount = 16 << 20
    /// The references of one file that are checked.
    static let maximumReferenceCount = 20_000
    /// How many different import maps are told apart; those of more are taken together.
    static let maximumImportMapCount = 64
    /// How deep documents in `srcdoc` are searched that are in one another.
    static let maximumDocumentDepth = 8
    /// The findings that are told; the others are counted.
    package static let maximumFindingCount = 1_000
}
