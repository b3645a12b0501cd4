import BundleServing
import BundleStore
import Foundation

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
