import BundleInstall
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
    let warnings: [String]

    init(_ report: PackReport, archive: String, archiveByteCount: Int64) {
        name = report.manifest.name.string
        version = report.manifest.version.string
        self.archive = archive
        fileCount = report.fileCount
        byteCount = report.byteCount
        self.archiveByteCount = archiveByteCount
        excludedFileCount = report.excludedFileCount
        warnings = report.warnings
    }

    var lines: [String] {
        let sizes =
            "\(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)) in \(ByteCount.text(archiveByteCount))"
        let packed = "packed \(name)@\(version) into \(Printable.line(archive)) (\(sizes))"
        guard excludedFileCount > 0 else { return [packed] }
        return [packed, "left out \(Quantity.text(excludedFileCount, "file")) that no list has"]
    }
}
