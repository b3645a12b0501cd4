import ArgumentParser
import BundleStore

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a release's files to a folder.",
        discussion: """
            The folder must be new or empty; it appears when it is complete. Without a version the active one is \
            exported.

            Example:
              bundlectl export shop@1.0.0 /tmp/shop
            """
    )

    @Argument(help: ArgumentHelp("The bundle, or one version of it.", valueName: "name[@version]"))
    var bundle: BundleReference

    @Argument(help: ArgumentHelp("The folder to write.", valueName: "dir"), completion: .directory)
    var folder: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let release = try bundle.release(in: try store.open())
        try output.console.showingProgress("exporting") { bar in
            try release.export(to: folder) { bar.update($0) }
        }
        try output.console.report(ExportSummary(release, to: folder))
    }
}

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
