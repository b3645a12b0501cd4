import BundleStore

/// Reads the documents of an object store: elements with text, without a document type. Foundation's parser is in a library of its own,
/// and reads what nobody needs here. Pure; a value type.
///
/// A document is read once, and in one pass; how deep its elements are is limited.
package struct S3XML {
    /// A step through a document.
    package enum Event: Equatable {
        /// An element begins; its name is without the prefix of its namespace.
        case start(String)
        /// An element ends, with the text that was directly in it.
        case end(String, text: String)
    }

    /// The document isn't XML, or has something that the store's documents never have.
    package struct Malformed: Error {}

    private static let maximumDepth = 16

    private var rest: ArraySlice<UInt8>
    private var open: [(name: ArraySlice<UInt8>, text: [UInt8])] = []
    /// The end of an element that was empty.
    private var pendingEnd = false
    private var isRootRead = false

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next step; nil at the end of a whole document.
    ///
    /// - Throws: ``Malformed``.
    package mutating func next() throws(Malformed) -> Event? {
        if pendingEnd {
            pendingEnd = false
            return try end()
        }
        while let byte = rest.first {
            guard byte == UInt8(ascii: "<") else {
                try takeText()
                continue
            }
            if rest.starts(with: "<?".utf8) {
                try skip(past: "?>")
            } else if rest.starts(with: "<!--".utf8) {
                try skip(past: "-->")
            } else if rest.starts(with: "</".utf8) {
                rest = rest.dropFirst(2)
                let tag = try takeTag()
                guard tag.elementsEqual(open.last?.name ?? []) else { throw Malformed() }
                return try end()
            } else {
                rest = rest.dropFirst()
                return .start(try begin())
            }
        }
        guard open.isEmpty, isRootRead else { throw Malformed() }
        return nil
    }

    private mutating func begin() throws(Malformed) -> String {
        var tag = try takeTag()
        if tag.last == UInt8(ascii: "/") {
            tag.removeLast()
            pendingEnd = true
        }
        // The attributes, which are namespaces.
        let name = tag.prefix { !Self.isSpace($0) }
        guard let first = name.first, ASCII.isLetter(first), open.count < Self.maximumDepth,
            !open.isEmpty || !isRootRead
        else { throw Malformed() }
        isRootRead = true
        open.append((name, []))
        return try Self.text(Self.local(name))
    }

    private mutating func end() throws(Malformed) -> Event {
        guard let element = open.popLast() else { throw Malformed() }
        return .end(try Self.text(Self.local(element.name)), text: try Self.text(element.text))
    }

    /// What is before the end of a tag, without white space at its end.
    private mutating func takeTag() throws(Malformed) -> ArraySlice<UInt8> {
        var quote: UInt8?
        let end = rest.firstIndex { byte in
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            return quote == nil && byte == UInt8(ascii: ">")
        }
        guard let end, case let tag = rest[..<end], !tag.contains(UInt8(ascii: "<")) else { throw Malformed() }
        rest = rest[(end + 1)...]
        return tag.lastIndex { !Self.isSpace($0) }.map { tag[...$0] } ?? tag.prefix(0)
    }

    /// Text up to the next tag; outside the root there is only white space.
    private mutating func takeText() throws(Malformed) {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[text.endIndex...]
        guard !open.isEmpty else {
            guard text.allSatisfy(Self.isSpace) || text.elementsEqual([0xEF, 0xBB, 0xBF]) else { throw Malformed() }
            return
        }
        try Self.append(text, to: &open[open.count - 1].text)
    }

    /// Appends text with its entities decoded (XML 1.0 §4.1, §4.6).
    private static func append(_ text: ArraySlice<UInt8>, to decoded: inout [UInt8]) throws(Malformed) {
        var text = text
        while let start = text.firstIndex(of: UInt8(ascii: "&")) {
            decoded += text[..<start]
            // The longest is that of U+10FFFF with a few zeros.
            guard let end = text[start...].prefix(16).firstIndex(of: UInt8(ascii: ";")),
                let character = character(of: text[(start + 1)..<end])
            else { throw Malformed() }
            decoded += String(character).utf8
            text = text[(end + 1)...]
        }
        decoded += text
    }

    private static func character(of entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: entity, as: UTF8.self) {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case let text where text.hasPrefix("#x"):
            return UInt32(text.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case let text where text.hasPrefix("#"): return UInt32(text.dropFirst()).flatMap(Unicode.Scalar.init)
        default: return nil
        }
    }

    private mutating func skip(past end: String) throws(Malformed) {
        guard let range = rest.firstRange(of: end.utf8) else { throw Malformed() }
        rest = rest[range.upperBound...]
    }

    private static func local(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }

    private static func text(_ bytes: some Collection<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

extension S3XML {
    /// The texts of the elements that are directly below an element, as of an `Error` or of each of a listing's `Contents`.
    ///
    /// - Parameter name: The element's name; that of the root, or of one directly below it.
    /// - Returns: One for each; of several elements of one name within it the first counts. Empty when there is none.
    /// - Throws: ``Malformed``.
    package static func records(_ name: String, in bytes: [UInt8]) throws(Malformed) -> [[String: String]] {
        var reader = S3XML(bytes)
        var path: [String] = []
        var records: [[String: String]] = []
        while let event = try reader.next() {
            switch event {
            case .start(let child):
                path.append(child)
                if child == name, path.count <= 2 { records.append([:]) }
            case .end(let child, let text):
                path.removeLast()
                guard path.last == name, path.count <= 2, !records.isEmpty else { continue }
                if records[records.count - 1][child] == nil { records[records.count - 1][child] = text }
            }
        }
        return records
    }
}

extension S3XML {
    /// A text as the content of an element.
    package static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
