/// A value in a JSON document from outside, together with its place, so that errors can name it: `bundle.json:
/// origins[0].url: …`.
package struct JSONElement: Sendable {
    /// The document that contains an element, as named in errors.
    private struct Document {
        let name: String
        let code: BundleError.Code
    }

    /// The value.
    package let value: JSONValue
    /// The place, for example `origins[0].url`; empty at the top.
    package let path: String

    private let document: Document

    /// Parses a whole document.
    ///
    /// - Parameters:
    ///   - name: The document's name in errors: a file name or a URL.
    ///   - code: The code of every error about the document.
    /// - Throws: `BundleError` with `code` when `bytes` exceed `maximumByteCount` or aren't strict JSON.
    package init(
        parsing bytes: [UInt8],
        named name: String,
        maximumByteCount: Int,
        refusedAs code: BundleError.Code
    ) throws(BundleError) {
        let name = Printable.text(name)
        guard bytes.count <= maximumByteCount else {
            throw BundleError(code, "\(name): has \(bytes.count) bytes; the limit is \(maximumByteCount)")
        }
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw BundleError(code, "\(name): \(error)", cause: error)
        }
        path = ""
        document = Document(name: name, code: code)
    }

    /// Parses a whole document, an object with one long list, in little memory: the list's elements are passed on one by one,
    /// and aren't part of the result.
    ///
    /// - Parameters:
    ///   - key: The list's name. When it isn't a list, it is part of the result as it is.
    ///   - heldByteCount: How many bytes the rest may take in memory, and with it each element.
    ///   - take: Gets each element, before what follows it was parsed.
    /// - Throws: As ``init(parsing:named:maximumByteCount:refusedAs:)``, and what `take` throws.
    package init(
        parsing bytes: [UInt8],
        named name: String,
        refusedAs code: BundleError.Code,
        within heldByteCount: Int,
        passing key: String,
        _ take: (JSONElement) throws(BundleError) -> Void
    ) throws(BundleError) {
        let document = Document(name: Printable.text(name), code: code)
        do {
            value = try JSONParser.parse(bytes, within: heldByteCount, passing: key) { number, element in
                try take(JSONElement(element, path: "\(key)[\(number)]", in: document))
            }
        } catch let error as BundleError {
            throw error
        } catch {
            throw BundleError(code, "\(document.name): \(error)", cause: error)
        }
        path = ""
        self.document = document
    }

    private init(_ value: JSONValue, path: String, in document: Document) {
        self.value = value
        self.path = path
        self.document = document
    }

    /// An error with the element's place and the problem.
    package func refused(_ problem: String, cause: (any Error)? = nil) -> BundleError {
        let place = path.isEmpty ? document.name : "\(document.name): \(path)"
        return BundleError(document.code, "\(place): \(problem)", cause: cause)
    }
}

// MARK: - Typed access

extension JSONElement {
    /// The string, or an error that says what it is instead.
    package func string() throws(BundleError) -> String {
        guard case .string(let string) = value else { throw mismatch("a string") }
        return string
    }

    /// The elements of a list.
    package func array() throws(BundleError) -> [JSONElement] {
        guard case .array(let values) = value else { throw mismatch("a list") }
        return values.enumerated().map { JSONElement($1, path: "\(path)[\($0)]", in: document) }
    }

    /// The number of elements of a list, or of members of an object; 0 for anything else.
    package var count: Int {
        switch value {
        case .array(let values): values.count
        case .object(let object): object.members.count
        default: 0
        }
    }

    /// The members of an object, in the order written.
    package func members() throws(BundleError) -> [(key: String, element: JSONElement)] {
        try object().members.map { ($0.key, JSONElement($0.value, path: path(of: $0.key), in: document)) }
    }

    /// The member `key` of an object, or nil when it has none.
    package func member(_ key: String) throws(BundleError) -> JSONElement? {
        try object()[key].map { JSONElement($0, path: path(of: key), in: document) }
    }

    /// The member `key` of an object, which must exist.
    package func required(_ key: String) throws(BundleError) -> JSONElement {
        guard let element = try member(key) else {
            throw refused("the key “\(key)” is missing\(path.isEmpty ? "" : " here"); add it")
        }
        return element
    }

    /// An error that names the expected kind of value.
    package func mismatch(_ expected: String) -> BundleError {
        refused("must be \(expected), but is \(value.kind)")
    }

    private func object() throws(BundleError) -> JSONObject {
        guard case .object(let object) = value else { throw mismatch("an object") }
        return object
    }

    private func path(of key: String) -> String {
        let isWord = key.utf8.allSatisfy { HTTPSyntax.isTokenByte($0) && $0 != UInt8(ascii: ".") }
        guard isWord, !key.isEmpty, key.utf8.count <= 64 else { return path + "[“\(Printable.text(key))”]" }
        return path.isEmpty ? key : "\(path).\(key)"
    }
}
