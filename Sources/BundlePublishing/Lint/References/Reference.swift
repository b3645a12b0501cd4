/// A URL that a file refers to. A value type.
package struct Reference: Hashable, Sendable {
    /// What it is fetched for.
    package enum Kind: String, Sendable {
        /// A page that a link leads to.
        case link
        /// A page in a frame.
        case frame
        /// A classic script.
        case script
        /// A module script, by its URL.
        case module
        /// A module, by the specifier of an import.
        case specifier
        /// What a script makes a URL of, to fetch it or what is below it.
        case location
        /// The same, by the specifier of an import.
        case resolution
        /// A style sheet.
        case style
        case image
        case font
        case media
        /// A web app manifest.
        case manifest
        /// A source map, which only developers' tools fetch.
        case sourceMap
        case other

        /// Whether import maps count for it.
        var isSpecifier: Bool { self == .specifier || self == .resolution }
        /// Whether it may be a folder, which URLs of its files are put together with.
        var mayBeFolder: Bool { self == .location || self == .resolution }
    }

    /// As the file has it, without character references and escapes.
    package let text: String
    package let kind: Kind
    /// The line in the file, from 1.
    package let line: Int

    package init(_ text: String, _ kind: Kind, line: Int) {
        self.text = text
        self.kind = kind
        self.line = line
    }
}

/// What a file refers to. A value type.
package struct References: Equatable, Sendable {
    /// In the order of the file.
    package var list: [Reference] = []
    /// The URL that relative ones are resolved against, as `<base>` has it; nil for the file's own.
    package var base: String?
    /// The import maps, by specifier: addresses as the file has them.
    package var imports: [String: String] = [:]

    package init() {}

    mutating func add(_ text: String, _ kind: Reference.Kind, line: Int) {
        list.append(Reference(text, kind, line: line))
    }
}
