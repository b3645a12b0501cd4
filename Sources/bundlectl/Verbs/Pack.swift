import ArgumentParser
import BundleArchive
import BundleInstall
import BundlePublishing
import BundleStore
import Foundation

struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Create a release's archive from a folder.",
        discussion: """
            The folder has a bundle.json, or --manifest names one elsewhere, where a build that empties the folder doesn't \
            remove it. The archive's name determines its format: .zip, .tar, .tar.gz, .tar.xz or \
            .tar.zst. The same files always give the same bytes.

            Hidden files and folders (.git) and node_modules are left out, except .well-known and the manifests of Vite; the \
            folder's .bundleignore, --exclude and --include decide otherwise, in the syntax of .gitignore. What looks like \
            a secret (.env, id_rsa, *.pem) is refused, unless --include names it.

            With --include-list only bundle.json, the files that it names, and those that a list names are packed: one \
            path in the bundle a line, a / at its end for all of a folder; # begins a comment. bundlectl stats --misses \
            prints such a list. What isn't in the folder is a warning.

            With --lint the files are checked for what would miss offline; the archive is written in any case, and the \
            status is \(ExitStatus.badInput.rawValue) when something would.

            Examples:
              bundlectl pack public shop-1.0.0.zip
              bundlectl pack public shop-1.0.0.zip --exclude '*.map' --include .nojekyll
              bundlectl pack dist shop-1.0.1.zip --manifest bundle.json --version 1.0.1
              bundlectl pack public shop-1.1.0.zip --include-list base.txt --include-list misses.txt
            """
    )

    @Argument(help: ArgumentHelp("The folder of the bundle's files.", valueName: "dir"), completion: .directory)
    var folder: String

    @Argument(help: "The archive to write.", completion: .file())
    var archive: String

    @OptionGroup var manifest: ManifestFileOptions

    @Option(
        name: .customLong("include-list"),
        help: ArgumentHelp("Pack only what this file lists, one path a line; may be repeated.", valueName: "file"),
        completion: .file()
    )
    var includeLists: [String] = []

    @Option(
        name: .customLong("exclude"),
        help: ArgumentHelp("Leave out what this pattern of a .gitignore covers; may be repeated.", valueName: "pattern")
    )
    var excluded: [IgnorePattern] = []

    @Option(
        name: .customLong("include"),
        help: ArgumentHelp(
            "Pack what this pattern covers, although it is hidden, excluded, or looks like a secret; may be repeated.",
            valueName: "pattern"
        )
    )
    var included: [IgnorePattern] = []

    @Option(help: "The name in the archive's manifest, in place of the manifest's; the folder stays as it is.")
    var name: BundleName?

    @Option(help: "The version in the archive's manifest, in place of the manifest's.")
    var version: BundleVersion?

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
        let options = try options()
        let report = try output.console.showingProgress("packing") { bar in
            try Packer().pack(folder, into: archive, format: format, options: options) { bar.update($0) }
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: archive)[.size] as? NSNumber)?.int64Value ?? 0
        output.console.warn(report.warnings)
        let checked = lint ? try ArchiveLint(allowing: linting.allowed).check(archive) : nil
        let summary = checked.map { linting.report($0, output.console) }
        try output.console.report(PackSummary(report, archive: archive, archiveByteCount: size, lint: summary))
        if let checked, checked.errorCount > 0 { throw EarlyEnd(status: .badInput) }
    }

    private func options() throws(BundleError) -> PackOptions {
        var options = PackOptions()
        if !includeLists.isEmpty { options.list = try IncludeList(contentsOf: includeLists) }
        options.manifestFile = try manifest.read()
        (options.excluded, options.included) = (excluded, included)
        (options.name, options.version) = (name, version)
        return options
    }
}

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
