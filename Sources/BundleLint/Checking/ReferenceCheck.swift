import BundleServing
import BundleStore
import Foundation

/// Whether what a file refers to is there without a network. A value type; safe to share between threads.
struct ReferenceCheck: Sendable {
    let urls: ReleaseURLs
    /// The addresses of the release's import maps, by specifier.
    let imports: [String: URL]
    /// The beginnings of URLs elsewhere that the publisher allows.
    let allowed: [String]

    /// Nil when nothing is wrong.
    ///
    /// - Parameters:
    ///   - reference: A reference of `file`.
    ///   - base: What it is resolved against.
    func finding(_ reference: Reference, in file: String, base: URL) -> LintFinding? {
        let text = reference.text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
        func finding(_ code: LintFinding.Code, isError: Bool, _ message: String) -> LintFinding {
            LintFinding(code, isError: isError, file: file, line: reference.line, message)
        }
        let shown = Printable.text(String(text.prefix(200)))
        guard let target = target(text, reference.kind, base) else {
            return finding(.specifier, isError: true, "imports “\(shown)”, which is no URL, and no import map has it")
        }
        guard ["http", "https"].contains(target.scheme?.lowercased()) else { return nil }
        let isNavigation = reference.kind == .link || reference.kind == .frame
        if let asset = urls.file(at: target, isNavigation: isNavigation) {
            return refusal(of: asset, for: reference.kind).map {
                finding(.mediaType, isError: true, "“\(shown)” \($0)")
            }
        }
        guard !urls.isProvidedFor(target, reference.kind.requestKind),
            !allowed.contains(where: target.absoluteString.hasPrefix)
        else { return nil }
        guard urls.covers(target) else {
            guard reference.kind != .link, reference.kind != .sourceMap else { return nil }
            return finding(.external, isError: true, "“\(shown)” is not in the release, but at \(target.host() ?? "")")
        }
        return switch reference.kind {
        case .link: finding(.deadLink, isError: false, "leads to “\(shown)”, which is not in the release")
        case .sourceMap: finding(.sourceMap, isError: false, "the source map “\(shown)” is not in the release")
        default: finding(.missing, isError: true, "“\(shown)” is not in the release")
        }
    }

    /// Nil for a specifier that no import map has.
    private func target(_ text: String, _ kind: Reference.Kind, _ base: URL) -> URL? {
        if kind == .specifier, isBare(text) { return address(of: text) }
        return URL(string: text, relativeTo: base)?.absoluteURL ?? base
    }

    /// Whether a specifier isn't a URL (WHATWG HTML §8.1.6.4).
    private func isBare(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") { return false }
        return URL(string: text)?.scheme == nil
    }

    private func address(of specifier: String) -> URL? {
        if let address = imports[specifier] { return address }
        let prefix = imports.keys.filter { $0.hasSuffix("/") && specifier.hasPrefix($0) }.max { $0.count < $1.count }
        return prefix.flatMap { prefix in
            URL(string: String(specifier.dropFirst(prefix.count)), relativeTo: imports[prefix])?.absoluteURL
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
        case .manifest, .sourceMap, .other: .other
        }
    }
}
