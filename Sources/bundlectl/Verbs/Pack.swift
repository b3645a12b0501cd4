import ArgumentParser
import BundleArchive
import BundleInstall
import BundleLint
import Foundation

struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Create a release's archive from a folder.",
        discussion: """
            The folder has a bundle.json. The archive's name determines its format: .zip, .tar, .tar.gz, .tar.xz or \
            .tar.zst. The same files always give the same bytes.

            With --include-list only bundle.json, the files that it names, and those that a list names are packed: one \
            path in the bundle a line, a / at its end for all of a folder; # begins a comment. bundlectl stats --misses \
            prints such a list. What isn't in the folder is a warning.

            With --lint the files are checked for what would miss offline; the archive is written in any case, and the \
            status is \(ExitStatus.badInput.rawValue) when something would.

            Examples:
              bundlectl pack public shop-1.0.0.zip
              bundlectl pack public shop-1.1.0.zip --include-list base.txt --include-list misses.txt
            """
    )

    @Argument(help: ArgumentHelp("The folder of the bundle's files.", valueName: "dir"), completion: .directory)
    var folder: String

    @Argument(help: "The archive to write.", completion: .file())
    var archive: String

    @Option(
        name: .customLong("include-list"),
        help: ArgumentHelp("Pack only what this file lists, one path a line; may be repeated.", valueName: "file"),
        completion: .file()
    )
    var includeLists: [String] = []

    @Flag(help: "Check what of the release would miss offline.")
    var lint = false

    @OptionGroup var linting: LintOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if ArchiveFormat(fileName: archive) == nil {
            throw ValidationError(
                "“\(archive)” must end in .zip, .tar, .tar.gz, .tar.xz or .tar.zst, as shop-1.0.0.zip does"
            )
        }
    }

    func run() async throws {
        guard let format = ArchiveFormat(fileName: archive) else { return }
        let list = includeLists.isEmpty ? nil : try IncludeList(contentsOf: includeLists)
        let report = try output.console.showingProgress("packing") { bar in
            try Packer().pack(folder, into: archive, format: format, including: list) { bar.update($0) }
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: archive)[.size] as? NSNumber)?.int64Value ?? 0
        output.console.warn(report.warnings)
        let checked = lint ? try ArchiveLint(allowing: linting.allowed).check(archive) : nil
        let summary = checked.map { linting.report($0, output.console) }
        try output.console.report(PackSummary(report, archive: archive, archiveByteCount: size, lint: summary))
        if let checked, checked.errorCount > 0 { throw EarlyEnd(status: .badInput) }
    }
}
