import BundleStore

/// What a page or an SVG image refers to. Pure.
package enum HTMLReferences {
    /// The attributes that have a URL, by element.
    private static let attributes: [String: [(String, Reference.Kind)]] = [
        "a": [("href", .link), ("xlink:href", .link)], "area": [("href", .link)], "frame": [("src", .frame)],
        "img": [("src", .image)], "source": [("src", .media)], "video": [("src", .media), ("poster", .image)],
        "audio": [("src", .media)], "track": [("src", .media)], "embed": [("src", .other)],
        "object": [("data", .other)], "body": background, "table": background, "thead": background,
        "tbody": background, "tfoot": background, "tr": background, "td": background, "th": background,
        "use": svgImage, "image": svgImage, "feimage": svgImage,
    ]
    private static let background: [(String, Reference.Kind)] = [("background", .image)]
    private static let svgImage: [(String, Reference.Kind)] = [("href", .image), ("xlink:href", .image)]

    /// The relations of `link` that a page needs something for (WHATWG HTML §4.6.8).
    private static let relations: [String: Reference.Kind] = [
        "stylesheet": .style, "icon": .image, "apple-touch-icon": .image, "apple-touch-icon-precomposed": .image,
        "apple-touch-startup-image": .image, "mask-icon": .image, "manifest": .manifest, "modulepreload": .module,
    ]

    /// What `as` of a preload means.
    private static let destinations: [String: Reference.Kind] = [
        "style": .style, "script": .script, "image": .image, "font": .font, "audio": .media, "video": .media,
        "track": .media,
    ]

    package static func find(in bytes: [UInt8]) -> References { find(in: bytes, depth: 0) }

    /// - Parameter depth: How many `srcdoc` the document is in.
    private static func find(in bytes: [UInt8], depth: Int) -> References {
        var references = References()
        var tokenizer = HTMLTokenizer(bytes)
        var last: HTMLTag?
        while let token = tokenizer.next() {
            switch token {
            case .tag(let tag):
                add(tag, to: &references)
                if tag.name == "iframe" { addFrame(tag, depth: depth, to: &references) }
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
            if let url = source(of: tag), isScript(tag) {
                references.add(url, isModule(tag) ? .module : .script, line: tag.line)
            }
        case "meta" where tag["http-equiv"]?.lowercased() == "refresh":
            if let url = MetaRefresh.url(tag["content"] ?? "") { references.add(url, .link, line: tag.line) }
        case "input" where tag["type"]?.lowercased() == "image":
            if let url = tag["src"] { references.add(url, .image, line: tag.line) }
        default: break
        }
        if let url = queryAction(of: tag) { references.add(url, .link, line: tag.line) }
        if let style = tag["style"] { addStyle(Array(style.utf8), line: tag.line, to: &references) }
    }

    /// A document in `srcdoc` takes the place of `src`, and has the base of the page that it is in. References against a base of
    /// its own aren't found.
    private static func addFrame(_ tag: HTMLTag, depth: Int, to references: inout References) {
        guard let document = tag["srcdoc"] else {
            if let url = tag["src"] { references.add(url, .frame, line: tag.line) }
            return
        }
        guard depth < LintLimits.maximumDocumentDepth else { return }
        let found = find(in: Array(document.utf8), depth: depth + 1)
        guard found.base == nil else { return }
        for reference in found.list {
            references.add(reference.text, reference.kind, line: tag.line + reference.line - 1)
        }
        references.imports.merge(found.imports) { first, _ in first }
    }

    private static func addLink(_ tag: HTMLTag, to references: inout References) {
        for url in SourceSet.urls(tag["imagesrcset"] ?? "") { references.add(url, .image, line: tag.line) }
        guard let url = tag["href"] else { return }
        let relations = (tag["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        if relations.contains("preload") {
            references.add(url, destinations[tag["as"]?.lowercased() ?? ""] ?? .other, line: tag.line)
        } else if let kind = relations.lazy.compactMap({ Self.relations[$0] }).first {
            references.add(url, kind, line: tag.line)
        }
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
        case "script" where source(of: tag) == nil && isScript(tag):
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

    /// The page that a form leads to by GET, as far as the tag alone tells (WHATWG HTML §4.10.18.6).
    private static func queryAction(of tag: HTMLTag) -> String? {
        switch tag.name {
        case "form" where !["post", "dialog"].contains(tag["method"]?.lowercased()): tag["action"]
        case "button" where tag["formmethod"]?.lowercased() == "get",
            "input" where tag["formmethod"]?.lowercased() == "get":
            tag["formaction"]
        default: nil
        }
    }

    /// The URL of a script; one in SVG has it as `href`.
    private static func source(of tag: HTMLTag) -> String? { tag["src"] ?? tag["href"] ?? tag["xlink:href"] }

    private static func isModule(_ tag: HTMLTag) -> Bool { tag["type"]?.lowercased() == "module" }

    /// Whether a script is run, and isn't data.
    private static func isScript(_ tag: HTMLTag) -> Bool {
        guard let type = tag["type"]?.lowercased(), !type.isEmpty else { return true }
        return isModule(tag) || type.hasSuffix("javascript") || type.hasSuffix("ecmascript")
    }
}

/// The URL that a page leads to by itself (WHATWG HTML §4.2.5.3, “shared declarative refresh steps”). Pure.
enum MetaRefresh {
    /// Nil when the page is only loaded again.
    ///
    /// - Parameter content: The value of `content`.
    static func url(_ content: String) -> String? {
        let text = content.drop(while: \.isWhitespace)
        let delay = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        guard !delay.isEmpty else { return nil }
        let rest = text[delay.endIndex...]
        guard let first = rest.first, first.isWhitespace || ";,".contains(first) else { return nil }
        var value = rest.drop(while: \.isWhitespace)
        if value.first == ";" || value.first == "," { value = value.dropFirst().drop(while: \.isWhitespace) }
        let url = afterKey(value)
        guard let quote = url.first, "\"'".contains(quote) else { return url.isEmpty ? nil : String(url) }
        return String(url.dropFirst().prefix { $0 != quote })
    }

    /// What is behind “url=”, which may be left out.
    private static func afterKey(_ text: Substring) -> Substring {
        guard text.prefix(3).lowercased() == "url" else { return text }
        let rest = text.dropFirst(3).drop(while: \.isWhitespace)
        return rest.first == "=" ? rest.dropFirst().drop(while: \.isWhitespace) : text
    }
}

/// The URLs of a `srcset` (WHATWG HTML §4.8.4.2.3).
enum SourceSet {
    static func urls(_ text: String) -> [String] {
        var urls: [String] = []
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            guard !rest.isEmpty else { return urls }
            let candidate = rest.prefix { !$0.isWhitespace }
            rest = rest[candidate.endIndex...]
            let url = candidate.reversed().drop { $0 == "," }.reversed()
            urls.append(String(url))
            // A comma at the URL's end is the end of the candidate; otherwise descriptors follow.
            if url.count == candidate.count { rest = descriptors(rest) }
        }
    }

    /// What follows the descriptors, whose parentheses may have commas.
    private static func descriptors(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "(": depth += 1
            case ")": depth = max(depth - 1, 0)
            case "," where depth == 0: return text[text.index(after: index)...]
            default: break
            }
        }
        return text[text.endIndex...]
    }
}
