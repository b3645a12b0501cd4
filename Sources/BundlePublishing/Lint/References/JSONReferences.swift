import BundleStore

/// What a web app manifest refers to (W3C Web Application Manifest). Pure.
package enum WebManifestReferences {
    package static func find(in bytes: [UInt8]) -> [Reference] {
        guard let root = try? JSONElement(webDocument: bytes) else { return [] }
        var found: [Reference] = []
        func add(_ element: JSONElement, _ key: String, _ kind: Reference.Kind) {
            if let url = try? element.member(key)?.string() { found.append(Reference(url, kind, line: 1)) }
        }
        func elements(_ element: JSONElement, _ key: String) -> [JSONElement] {
            (try? element.member(key)?.array()) ?? []
        }
        add(root, "start_url", .link)
        for image in elements(root, "icons") + elements(root, "screenshots") { add(image, "src", .image) }
        for shortcut in elements(root, "shortcuts") {
            add(shortcut, "url", .link)
            for icon in elements(shortcut, "icons") { add(icon, "src", .image) }
        }
        return found
    }
}

extension JSONElement {
    /// A JSON document of a release; its errors aren't shown.
    init(webDocument bytes: [UInt8]) throws(BundleError) {
        try self.init(
            parsing: bytes,
            named: "document",
            maximumByteCount: LintLimits.maximumFileByteCount,
            refusedAs: .invalidArchive
        )
    }
}

/// The specifiers of an import map, and their addresses (WHATWG HTML §8.1.5.2). Pure. Scopes are taken together: where a
/// specifier has several addresses, any of them will do.
package enum ImportMap {
    package static func imports(_ bytes: [UInt8]) -> [String: String] {
        guard let root = try? JSONElement(webDocument: bytes) else { return [:] }
        let scopes = (try? root.member("scopes")?.members())?.map(\.element) ?? []
        let tables = [try? root.member("imports")].compactMap { $0 ?? nil } + scopes
        var imports: [String: String] = [:]
        for table in tables {
            for member in (try? table.members()) ?? [] {
                if let address = try? member.element.string() { imports[member.key] = imports[member.key] ?? address }
            }
        }
        return imports
    }
}

/// What a source map refers to (ECMA-426 §8, §9). Pure.
package enum SourceMap {
    /// The URLs of the sources that it has no content of, in its order; none for what is no source map.
    package static func sourcesWithoutContent(in bytes: [UInt8]) -> [String] {
        guard let root = try? JSONElement(webDocument: withoutGuard(bytes)) else { return [] }
        let sections = elements(root, "sections").compactMap { try? $0.member("map") }
        return ([root] + sections).flatMap(lacking)
    }

    private static func lacking(_ map: JSONElement) -> [String] {
        let contents = elements(map, "sourcesContent")
        let prefix = (try? map.member("sourceRoot")?.string()).map(folder) ?? ""
        return elements(map, "sources").enumerated().compactMap { index, source in
            guard index >= contents.count || (try? contents[index].string()) == nil,
                let source = try? source.string()
            else { return nil }
            return prefix + source
        }
    }

    /// Up to the last slash, as the standard has it; a name alone is a folder's. An empty root, which bundlers write, is none.
    private static func folder(_ root: String) -> String {
        guard !root.isEmpty else { return "" }
        return root.lastIndex(of: "/").map { String(root[...$0]) } ?? root + "/"
    }

    /// The line that keeps a document from being run as a script isn't JSON.
    private static func withoutGuard(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.starts(with: ")]}'".utf8) else { return bytes }
        return Array(bytes.drop { $0 != UInt8(ascii: "\n") })
    }

    private static func elements(_ element: JSONElement, _ key: String) -> [JSONElement] {
        (try? element.member(key)?.array()) ?? []
    }
}

/// The URL of a source map in a comment (ECMA-426 §11.1.2).
enum SourceMapComment {
    /// Nil for another comment.
    ///
    /// - Parameter text: What is in the comment.
    static func url(_ text: ArraySlice<UInt8>) -> String? {
        guard let first = text.first, first == UInt8(ascii: "#") || first == UInt8(ascii: "@") else { return nil }
        let rest = text.dropFirst().drop(while: \.isBlank)
        let key = Array("sourceMappingURL=".utf8)
        guard rest.starts(with: key) else { return nil }
        return String(decoding: rest.dropFirst(key.count).prefix { !$0.isBlank }, as: UTF8.self)
    }
}
