import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write the manifest, bundle.json, of a folder of built pages.",
        discussion: """
            What no option says is taken from the folder: name and version from a package.json in it or beside it, the page of \
            the root, and, where a single page comes with scripts, that it responds to all routes. On a terminal init asks \
            for what is missing and proposes what it has found; --yes takes that. A bundle.json that is there stays, unless \
            by --force.

            Beside a package.json a folder such as dist is one that the next build empties. The manifest is then written where \
            it stays: to public/ (or static/), whose files Vite, Next.js, SvelteKit and others copy into their output, and to the \
            folder too; without these beside the folder, and the other commands need --manifest bundle.json. With --manifest it \
            is written to that file alone.

            Examples:
              bundlectl init dist
              bundlectl init dist --manifest bundle.json --name shop --version 1.0.0 --origin https://m.example.com/shop/
            """
    )

    @Argument(help: ArgumentHelp("The folder of the bundle's files.", valueName: "dir"), completion: .directory)
    var folder = "."

    @Option(
        help: ArgumentHelp(
            "Where to write the manifest. Default: where the next build doesn't remove it.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var manifest: String?

    @Option(help: "The bundle's name.")
    var name: BundleName?

    @Option(help: "The release's version. Default: that of package.json, else 1.0.0.")
    var version: BundleVersion?

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "A URL prefix that the bundle covers; may be repeated. PATH is the folder that it maps to. Default: /.",
            valueName: "url[=path]"
        )
    )
    var origins: [OriginArgument] = []

    @Option(help: ArgumentHelp("The page of the root.", valueName: "file"))
    var entry: String?

    @Option(help: ArgumentHelp("The page that responds to routes for which there is no file.", valueName: "file"))
    var fallback: String?

    @Option(help: ArgumentHelp("The routes of that page; may be repeated. Default: /**.", valueName: "pattern"))
    var routes: [String] = []

    @Flag(help: "No page responds to routes.")
    var noFallback = false

    @Flag(help: "Replace a manifest that is there.")
    var force = false

    @Flag(name: .shortAndLong, help: "Ask nothing.")
    var yes = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if manifest?.isEmpty == true {
            throw ValidationError("--manifest is empty; name a file, such as --manifest bundle.json")
        }
        if noFallback, fallback != nil || !routes.isEmpty {
            throw ValidationError("--no-fallback excludes --fallback and --routes; leave one out")
        }
    }

    func run() async throws {
        let build = try BuildFolder(folder)
        let place = manifest.map(ManifestPlace.init(at:)) ?? build.manifestPlace
        let paths = [place.path, place.copy].compactMap(\.self)
        if !force, let present = paths.first(where: FileManager.default.fileExists(atPath:)) {
            throw BundleError(.invalidArgument, "\(Printable.line(present)) is there already; replace it with --force")
        }
        let draft = try draft(build)
        try check(draft)
        for path in paths { try StagedFile(for: path).publish(draft.encoded()) }
        try output.console.report(InitSummary(draft, folder: folder, place: place, hashed: build.hashedFileCounts))
    }

    private func draft(_ build: BuildFolder) throws -> ManifestDraft {
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        let ask = Question(isInteractive: isTerminal && !yes && !output.console.isQuiet)
        guard let name = name ?? ask("name", of: "name", proposing: build.name, as: { BundleName($0) }) else {
            throw ValidationError("the folder doesn't say what the bundle is called; give --name, such as --name shop")
        }
        let proposed = build.version ?? ManifestDraft.defaultVersion
        guard let version = version ?? ask("version", of: "version", proposing: proposed, as: { BundleVersion($0) })
        else {
            throw ValidationError("give --version, such as --version 1.0.0")
        }
        let asked =
            origins.isEmpty
            ? ask("URL that it covers, if any", of: "url[=path]", proposing: nil, as: OriginArgument.init) : nil
        guard let entry = entry ?? build.entry ?? ask("page of the root", proposing: nil, as: { $0 }) else {
            let pages = build.pages.prefix(3).map(Printable.line).joined(separator: ", ")
            let found = pages.isEmpty ? "no .html file" : "no index.html, but \(pages)"
            throw ValidationError("\(Printable.line(folder)) has \(found); give --entry FILE")
        }
        let isApp = build.isSinglePageApp || !routes.isEmpty
        let file = noFallback ? nil : fallback ?? (isApp ? entry : nil)
        return ManifestDraft(
            name: name,
            version: version,
            origins: (origins + (asked.map { [$0] } ?? [])).map(\.mapping),
            entry: entry,
            fallback: file,
            routes: file == nil ? [] : routes.isEmpty ? ["/**"] : routes
        )
    }

    /// What the manifest names must be there.
    private func check(_ draft: ManifestDraft) throws {
        for (option, file) in [("--entry", draft.entry), ("--fallback", draft.fallback)] {
            guard let file, !FileManager.default.fileExists(atPath: "\(folder)/\(file)") else { continue }
            throw BundleError(
                .invalidArgument,
                "\(option): “\(Printable.text(file))” is not in \(Printable.line(folder))"
            )
        }
    }
}
