import BundleStore

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
