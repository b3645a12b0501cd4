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
