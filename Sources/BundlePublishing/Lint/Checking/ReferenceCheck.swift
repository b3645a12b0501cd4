import BundleServing
import BundleStore
import Foundation

/// Whether what a file refers to is there without a network. A value type; safe to share between threads.
struct ReferenceCheck: Sendable {
    let urls: ReleaseURLs
    /// The beginnings of URLs elsewhere that the publisher allows.
    let allowed: [String]

    /// Nil when nothing is wrong.
    ///
    /// - Parameters:
    ///   - reference: A reference of `document`.
    ///   - maps: The import maps that apply to the document, one or more.
    func finding(_ reference: Reference, in document: LintDocument, _ maps: [[String: URL]]) -> LintFinding? {
        let text = reference.text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
        func finding(_ code: LintFinding.Code, isError: Bool, _ message: String) -> LintFinding {
            LintFinding(code, isError: isError, file: document.path, line: reference.line, message)
        }
        let shown = Printable.text(String(text.prefix(200)))
        guard reference.kind.isSpecifier, ModuleAddress.isBare(text) else {
            // What is no URL of the web, such as `data:`, needs no file, and isn't read.
            if let scheme = ModuleAddress.scheme(of: text), !["http", "https"].contains(scheme) { return nil }
            guard let target = ModuleAddress.url(of: reference, from: document.base, [:]) else {
                return finding(.invalidURL, isError: false, "refers to “\(shown)”, which is no URL")
            }
            return judge(target, reference.kind, shown, finding)
        }
        var targets: Set<URL> = []
        for map in maps {
            guard let target = ModuleAddress.url(of: reference, from: document.base, map) else {
                let which =
                    maps.count > 1
                    ? "one page that loads it has no such entry in its import map" : "no import map has it"
                return finding(.specifier, isError: true, "imports “\(shown)”, which is no URL, and \(which)")
            }
            targets.insert(target)
        }
        return targets.sorted { $0.absoluteString < $1.absoluteString }.lazy
            .compactMap { judge($0, reference.kind, shown, finding) }.first
    }

    private func judge(
        _ target: URL,
        _ kind: Reference.Kind,
        _ shown: String,
        _ finding: (LintFinding.Code, _ isError: Bool, _ message: String) -> LintFinding
    ) -> LintFinding? {
        guard ["http", "https"].contains(target.scheme?.lowercased()) else { return nil }
        if let asset = urls.file(at: target, isNavigation: kind == .link || kind == .frame) {
            return refusal(of: asset, for: kind).map { finding(.mediaType, true, "“\(shown)” \($0)") }
        }
        if kind.mayBeFolder, urls.isFolder(target) { return nil }
        guard !urls.isProvidedFor(target, kind.requestKind), !allowed.contains(where: target.absoluteString.hasPrefix)
        else { return nil }
        guard urls.covers(target) else {
            guard kind != .link, kind != .sourceMap else { return nil }
            return finding(.external, true, "“\(shown)” is not in the release, but at \(target.host() ?? "")")
        }
        return switch kind {
        case .link: finding(.deadLink, false, "leads to “\(shown)”, which is not in the release")
        case .sourceMap: finding(.sourceMap, false, "the source map “\(shown)” is not in the release")
        default: finding(.missing, true, "“\(shown)” is not in the release")
        }
    }

    /// Why a browser doesn't use a file (Fetch §2.2.7 “nosniff”, WHATWG HTML §8.1.4.2); nil when it does.
    private func refusal(of asset: Asset, for kind: Reference.Kind) -> String? {
        let essence = asset.mediaType.prefix { $0 != ";" }
        switch kind {
        case .module, .specifier:
            guard !["text/javascript", "application/json", "text/css", "application/wasm"].contains(essence) else {
                return nil
            }
            return "is a module with the media type \(essence)"
        case .script where essence != "text/javascript": return "is a script with the media type \(essence)"
        case .style where essence != "text/css": return "is a style sheet with the media type \(essence)"
        default: return nil
        }
    }
}

extension Reference.Kind {
    /// As network rules call it.
    fileprivate var requestKind: RequestKind {
        switch self {
        case .link, .frame: .navigation
        case .script, .module, .specifier: .script
        case .style: .style
        case .image: .image
        case .font: .font
        case .media: .media
        case .manifest, .sourceMap, .location, .resolution, .other: .other
        }
    }
}

/// Where a reference leads (WHATWG HTML §8.1.6.4, “resolve a module specifier”). Pure.
enum ModuleAddress {
    /// Nil for a specifier that the import map doesn't have, and for what is no URL.
    static func url(of reference: Reference, from base: URL, _ imports: [String: URL]) -> URL? {
        let text = reference.text.trimmingCharacters(in: .whitespacesAndNewlines)
        if reference.kind.isSpecifier, isBare(text) { return address(of: text, imports) }
        return URL(string: text, relativeTo: base)?.absoluteURL
    }

    /// Whether a specifier isn't a URL.
    static func isBare(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") { return false }
        return scheme(of: text) == nil
    }

    /// The scheme in front of a text (RFC 3986 §3.1), in lower case; nil when it has none.
    static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < text.utf8.count, let first = scheme.first, ASCII.isLetter(first),
            scheme.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return String(scheme)?.lowercased()
    }

    private static func address(of specifier: String, _ imports: [String: URL]) -> URL? {
        if let address = imports[specifier] { return address }
        let prefix = imports.keys.filter { $0.hasSuffix("/") && specifier.hasPrefix($0) }.max { $0.count < $1.count }
        return prefix.flatMap { prefix in
            URL(string: String(specifier.dropFirst(prefix.count)), relativeTo: imports[prefix])?.absoluteURL
        }
    }
}

/// Which import maps apply to a document: a page's own, and those of the pages that load a script. Pure; a value type, safe to
/// share between threads.
struct ImportMapUse: Sendable {
    /// By the path of a script.
    private let maps: [String: [[String: URL]]]
    /// Those of all pages together, for scripts that no page is seen to load.
    private let pooled: [String: URL]

    init(_ documents: [LintDocument], _ urls: ReleaseURLs) {
        var pages: [[String: URL]: [LintDocument]] = [:]
        for document in documents where document.isPage { pages[document.imports, default: []].append(document) }
        pooled = pages.keys.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        guard !pooled.isEmpty, pages.count <= LintLimits.maximumImportMapCount else {
            maps = [:]
            return
        }
        let scripts = Dictionary(documents.filter { !$0.isPage }.map { ($0.path, $0) }) { first, _ in first }
        var maps: [String: [[String: URL]]] = [:]
        for (imports, pages) in pages {
            for path in Self.scripts(loadedBy: pages, imports, among: scripts, urls) {
                maps[path, default: []].append(imports)
            }
        }
        self.maps = maps
    }

    /// Several, where several pages with different maps load a script: what it imports has to be in each.
    func maps(of document: LintDocument) -> [[String: URL]] {
        document.isPage ? [document.imports] : maps[document.path] ?? [pooled]
    }

    /// The scripts that pages with one import map load, and what these import, and so on.
    private static func scripts(
        loadedBy pages: [LintDocument],
        _ imports: [String: URL],
        among scripts: [String: LintDocument],
        _ urls: ReleaseURLs
    ) -> Set<String> {
        var found: Set<String> = []
        var waiting = pages
        while let document = waiting.popLast() {
            for reference in document.references where reference.kind.isOfScript {
                guard let url = ModuleAddress.url(of: reference, from: document.base, imports),
                    let path = urls.file(at: url, isNavigation: false)?.path, let script = scripts[path],
                    found.insert(path).inserted
                else { continue }
                waiting.append(script)
            }
        }
        return found
    }
}

extension Reference.Kind {
    /// Whether what it leads to runs in the same page.
    fileprivate var isOfScript: Bool { [.script, .module, .specifier].contains(self) }
}
