import BundleModel


/// The value of a `Content-Type` field (RFC 9110 §8.3), for example `text/html; charset=utf-8`.
///
/// A value type; safe to share between threads.
package struct MediaType: Hashable, Sendable {
    /// The type with its parameters, ready to be sent.
    package let string: String

    /// Parses a media type, for example from a manifest. White space around it is dropped.
    ///
    /// - Returns: nil unless `text` is `type/subtype` with well-formed parameters (RFC 9110 §8.3.1), in printable
    ///   ASCII.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        scanner.skipWhitespace()
        let value = scanner.remainder
        guard scanner.mediaType() != nil, scanner.parameters() != nil else { return nil }
        let end = scanner.remainder.startIndex
        scanner.skipWhitespace()
        guard scanner.isAtEnd, text.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) }) else { return nil }
        string = String(Substring(value[..<end]))
    }

    /// Creates a type that is known to be well-formed.
    init(known string: String) {
        self.string = string
    }

    /// The type for files with the extension `ext`, which is given without its dot and in any case.
    ///
    /// - Returns: nil for an extension without a known type; ``MediaTypeSniffer`` then examines the content.
    package static func forExtension(_ ext: String) -> MediaType? {
        MediaTypeTable.types[ext] ?? MediaTypeTable.types[ext.lowercased()]
    }

    /// The type and subtype in lower case, without parameters: `text/html`.
    package var essence: String {
        let end = string.utf8.firstIndex { $0 == UInt8(ascii: ";") || ASCII.isBlank($0) }
        return string[..<(end ?? string.endIndex)].lowercased()
    }

    /// Bytes of an unknown type (RFC 2046 §4.5.1).
    package static let octetStream = MediaType(known: "application/octet-stream")
    /// Text without markup, in UTF-8.
    package static let plainText = MediaType(known: "text/plain; charset=utf-8")
    /// HTML in UTF-8.
    package static let html = MediaType(known: "text/html; charset=utf-8")
    /// Scripts.
    package static let javaScript = MediaType(known: "text/javascript; charset=utf-8")
}

extension MediaType: CustomStringConvertible {
    /// The same as ``string``.
    package var description: String { string }
}
