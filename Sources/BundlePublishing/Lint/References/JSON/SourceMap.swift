import BundleStore

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
