import ArgumentParser
import BundlePublishing
import BundleServing
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

/// Asks at a terminal; without one, nothing is asked and the proposals count.
struct Question {
    let isInteractive: Bool

    /// Asks by standard error, because standard output is the report's.
    ///
    /// - Parameters:
    ///   - text: What is asked for.
    ///   - placeholder: What ``ArgumentForm`` calls the form that is wanted; nil when any text is accepted.
    ///   - proposal: What counts when nothing is entered.
    ///   - read: What an entry means; nil to ask again.
    /// - Returns: Nil when nothing is entered and nothing was proposed, or the input has ended.
    func callAsFunction<Value>(
        _ text: String,
        of placeholder: String? = nil,
        proposing proposal: Value?,
        as read: (String) -> Value?
    ) -> Value? {
        guard isInteractive else { return proposal }
        let hint = proposal.map { " [\($0)]" } ?? ""
        while true {
            try? StandardStreams.write("\(text)\(hint): ", to: STDERR_FILENO)
            guard let line = readLine()?.trimmingCharacters(in: .whitespaces), !line.isEmpty else { return proposal }
            if let value = read(line) { return value }
            let refusal = Self.refusal(of: line, as: placeholder, proposing: proposal.map { "\($0)" })
            try? StandardStreams.write("\(refusal)\n", to: STDERR_FILENO)
        }
    }

    /// What is said of an entry that isn't accepted.
    static func refusal(of entry: String, as placeholder: String?, proposing proposal: String?) -> String {
        let form = placeholder.flatMap(ArgumentForm.text).map { ": \($0)" } ?? ""
        return "“\(Printable.text(entry))” can't be used\(form); try again, or press Return for \(proposal ?? "none")"
    }
}

/// The result of `init`.
struct InitSummary: Report {
    let manifest: String
    /// Where it was written too; nil for nowhere.
    let copy: String?
    let name: String
    let version: String
    let origins: [String]
    let entry: String
    /// The page of the routes; nil when only files respond.
    let fallback: String?
    let routes: [String]
    /// Nil when no name has a hash of the content.
    let hashedFolders: [HashedFolder]?

    private let folder: String
    /// The option by which other verbs find the manifest.
    private let option: String
    /// The bundle's own host on this machine; nil when its name is too long for one.
    private let host: String?

    private enum CodingKeys: CodingKey {
        case manifest, copy, name, version, origins, entry, fallback, routes, hashedFolders
    }

    /// - Parameters:
    ///   - draft: What was written.
    ///   - folder: The folder of the bundle's files.
    ///   - place: Where.
    ///   - hashed: How many files of each folder have a name with a hash.
    init(_ draft: ManifestDraft, folder: String, place: ManifestPlace, hashed: [String: Int]) {
        let hashed = hashed.sorted { $0.key < $1.key }.map { HashedFolder(folder: $0.key, fileCount: $0.value) }
        hashedFolders = hashed.isEmpty ? nil : hashed
        (manifest, copy) = (place.path, place.copy)
        option = place.isElsewhere ? " --manifest \(Printable.line(place.path).shellWord)" : ""
        name = draft.name.string
        host = LocalHost.name(of: draft.name)
        version = draft.version.string
        origins = draft.origins.map(\.origin.description)
        entry = draft.entry ?? BundleManifest.defaultEntry.string
        fallback = draft.fallback
        routes = draft.routes
        self.folder = folder
    }

    var lines: [String] {
        let folder = Printable.line(folder)
        let routing = fallback.map { ["routes without a file get \($0); --no-fallback leaves that out"] } ?? []
        let address = host.map { "http://\($0):PORT/" } ?? "http://localhost:PORT/\(name)/"
        let addressing = origins.isEmpty ? ["it has no origins: an endpoint serves it at \(address)"] : []
        let naming = [hashedFolders.flatMap(HashedFolder.line)].compactMap(\.self)
        let copying = copy.map { ["wrote \(Printable.line($0)) too, as the next build will copy it there"] } ?? []
        let written = ["wrote \(Printable.line(manifest)): \(name)@\(version), \(entry)"] + copying
        return written + routing + addressing + naming + [
            "next: bundlectl pack \(folder.shellWord) \(name)-\(version).zip\(option)",
            "or:   bundlectl install \(folder.shellWord)\(option)",
        ]
    }
}

/// A folder in which names have a hash of the content.
struct HashedFolder: Encodable {
    private static let shownCount = 5

    /// Its path in the bundle.
    let folder: String
    /// The number of these files in the folder itself.
    let fileCount: Int

    /// What becomes of the files, in one line; nil when there is no such folder.
    static func line(_ folders: [HashedFolder]) -> String? {
        guard !folders.isEmpty else { return nil }
        let shown = folders.prefix(shownCount).map {
            "\(Printable.line($0.folder)) (\(Quantity.text($0.fileCount, "file")))"
        }
        let rest = folders.count > shownCount ? ", …" : ""
        return "names with a hash in \(shown.joined(separator: ", "))\(rest): browsers keep these files for a year; "
            + "\"immutable\" in the manifest decides otherwise"
    }
}
