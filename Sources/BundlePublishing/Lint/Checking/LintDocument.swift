import BundleServing
import BundleStore
import Foundation

/// A file of a release that refers to URLs. A value type; safe to share between threads.
struct LintDocument: Sendable {
    let path: String
    /// What its references are resolved against.
    let base: URL
    let references: [Reference]
    /// Whether it has an import map of its own, an empty one at least.
    let isPage: Bool
    /// The addresses of its import maps, by specifier.
    let imports: [String: URL]

    /// - Parameter url: The file's own.
    init(_ asset: Asset, at url: URL, _ references: References) {
        let base = references.base.flatMap { URL(string: $0, relativeTo: url)?.absoluteURL } ?? url
        path = asset.path
        self.base = base
        self.references = Array(references.list.prefix(LintLimits.maximumReferenceCount))
        isPage = MediaType(asset.mediaType)?.isPage == true
        imports = references.imports.compactMapValues { URL(string: $0, relativeTo: base)?.absoluteURL }
    }
}
