import BundleStore

/// What a page or an SVG image refers to. Pure.
package enum HTMLReferences {
    /// The attributes that have a URL, by element.
    private static let attributes: [String: [(String, Reference.Kind)]] = [
        "a": [("href", .link)], "area": [("href", .link)], "iframe": [("src", .frame)], "frame": [("src", .frame)],
        "img": [("src", .image)], "source": [("src", .media)], "video": [("src", .media), ("poster", .image)],
        "audio": [("src", .media)], "track": [("src", .media)], "embed": [("src", .other)],
        "object": [("data", .other)],
        "input": [("src", .image)], "body": [("background", .image)],
        "use": [("href", .image), ("xlink:href", .image)], "image": [("href", .image), ("xlink:href", .image)],
    ]

    /// The relations of `link` that a page needs something for (WHATWG HTML §4.6.8).
    private static let relations: [String: Reference.Kind] = [
        "stylesheet": .style, "icon": .image, "apple-touch-icon": .image, "mask-icon": .image, "manifest": .manifest,
        "modulepreload": .module,
    ]

    /// What `as` of a preload means.
    private static let destinations: [String: Reference.Kind] = [
        "style": .style, "script": .script, "image": .image, "font": .font, "audio": .media, "video": .media,
        "track": .media,
    ]

    package static func find(in bytes: [UInt8]) -> References {
        var references = References()
        var tokenizer = HTMLTokenizer(bytes)
        var last: HTMLTag?
        while let token = tokenizer.next() {
            switch token {
            case .tag(let tag):
                add(tag, to: &references)
                last = tag
            case .text(let text, let line):
                if let last { add(Array(text), of: last, line: line, to: &references) }
            }
        }
        return references
    }

    private static func add(_ tag: HTMLTag, to references: inout References) {
        for (name, kind) in attributes[tag.name] ?? [] {
            if let url = tag[name] { references.add(url, kind, line: tag.line) }
        }
        if tag.name == "img" || tag.name == "source", let set = tag["srcset"] {
            for url in SourceSet.urls(set) { references.add(url, .image, line: tag.line) }
        }
        switch tag.name {
        case "base": references.base = references.base ?? tag["href"]
        case "link": addLink(tag, to: &references)
        case "script":
            if let url = tag["src"], isScript(tag) {
                references.add(url, isModule(tag) ? .module : .script, line: tag.line)
            }
        default: break
        }
        if let style = tag["style"] { addStyle(Array(style.utf8), line: tag.line, to: &references) }
    }

    private static func addLink(_ tag: HTMLTag, to references: inout References) {
        guard let url = tag["href"] else { return }
        let relations = (tag["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        if relations.contains("preload") {
            references.add(url, destinations[tag["as"]?.lowercased() ?? ""] ?? .other, line: tag.line)
        } else if let kind = relations.lazy.compactMap({ Self.relations[$0] }).first {
            references.add(url, kind, line: tag.line)
        }
        for url in SourceSet.urls(tag["imagesrcset"] ?? "") { references.add(url, .image, line: tag.line) }
    }

    private static func add(_ text: [UInt8], of tag: HTMLTag, line: Int, to references: inout References) {
        switch tag.name {
        case "style": addStyle(text, line: line, to: &references)
        case "script" where tag["type"]?.lowercased() == "importmap":
            let imports = ImportMap.imports(text)
            // An address that ends in a slash stands for the files below it.
            for address in imports.values.sorted() where !address.hasSuffix("/") {
                references.add(address, .module, line: line)
            }
            references.imports.merge(imports) { first, _ in first }
        case "script" where tag["src"] == nil && isScript(tag):
            for reference in ScriptReferences.find(in: text) {
                references.add(reference.text, reference.kind, line: line + reference.line - 1)
            }
        default: break
        }
    }

    private static func addStyle(_ text: [UInt8], line: Int, to references: inout References) {
        for reference in CSSReferences.find(in: text) {
            references.add(reference.text, reference.kind, line: line + reference.line - 1)
        }
    }

    private static func isModule(_ tag: HTMLTag) -> Bool { tag["type"]?.lowercased() == "module" }

    /// Whether a script is run, and isn't data.
    private static func isScript(_ tag: HTMLTag) -> Bool {
        guard let type = tag["type"]?.lowercased(), !type.isEmpty else { return true }
        return isModule(tag) || type.hasSuffix("javascript") || type.hasSuffix("ecmascript")
    }
}
