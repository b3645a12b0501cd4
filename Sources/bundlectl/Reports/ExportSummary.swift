import BundleStore

/// The result of `export`.
struct ExportSummary: Report {
    let name: String
    let version: String
    let folder: String
    let fileCount: Int
    let byteCount: Int64

    init(_ release: Release, to folder: String) {
        name = release.name.string
        version = release.version.string
        self.folder = folder
        fileCount = release.fileCount
        byteCount = release.byteCount
    }

    var lines: [String] {
        [
            "exported \(name)@\(version) to \(Printable.line(folder)) (\(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)))"
        ]
    }
}
