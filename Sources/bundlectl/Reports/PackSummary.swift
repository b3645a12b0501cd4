import BundleInstall
import BundlePublishing
import BundleStore

/// The result of `pack`.
struct PackSummary: Report {
    let name: String
    let version: String
    let archive: String
    let fileCount: Int
    let byteCount: Int64
    let archiveByteCount: Int64
    let excludedFileCount: Int
    let leftOut: [String]
    let warnings: [String]
    /// Nil when it wasn't checked.
    let lint: LintSummary?

    init(_ report: PackReport, archive: String, archiveByteCount: Int64, lint: LintSummary? = nil) {
        self.lint = lint
        name = report.manifest.name.string
        version = report.manifest.version.string
        self.archive = archive
        fileCount = report.fileCount
        byteCount = report.byteCount
        self.archiveByteCount = archiveByteCount
        excludedFileCount = report.excludedFileCount
        leftOut = report.leftOut
        warnings = report.warnings
    }

    var lines: [String] {
        let sizes =
            "\(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)) in \(ByteCount.text(archiveByteCount))"
        let packed = "packed \(name)@\(version) into \(Printable.line(archive)) (\(sizes))"
        let unlisted =
            excludedFileCount > 0 ? ["left out \(Quantity.text(excludedFileCount, "file")) that no list has"] : []
        return [packed] + [LeftOutNames.line(leftOut)].compactMap(\.self) + unlisted + (lint?.lines ?? [])
    }
}
