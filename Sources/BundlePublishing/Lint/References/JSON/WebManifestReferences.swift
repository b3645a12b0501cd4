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
