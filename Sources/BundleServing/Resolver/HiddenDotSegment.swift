import BundleStore
import Foundation

/// Finds components that another server could interpret as `.` or `..` in a path that has neither, so that the path
/// would leave the prefix that it was matched with.
///
/// Servlet containers drop a component's parameters, so that `..;x` is `..` (RFC 3986 §3.3 leaves them to the
/// producer). Other servers decode a path before they look for its query or fragment, or decode it once too often,
/// treat a backslash as a slash, fold full-width characters into ASCII, treat an ideographic full stop as a dot as in
/// host names (UTS #46 §2.3), or drop white space and invisible characters. On Windows a file's name ends at a colon
/// (`..::$DATA`), in C at a zero byte. Such paths have no legitimate use, so nothing is lost by not requesting them
/// from origins.
package enum HiddenDotSegment {
    /// Whether one of the components, percent-encoded as they were sent, could be interpreted so.
    package static func isPresent(in components: some Sequence<Substring>) -> Bool {
        components.contains { component in
            // Most components have none of the suspicious characters.
            component.utf8.contains(where: isSuspicious) && hasDotsWhenDecoded(String(component))
        }
    }

    private static func isSuspicious(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: "\\") || byte <= 0x20 || byte >= 0x7F
    }

    /// Examines the component as it is, and after each further decoding. A component that is encoded too many times is
    /// suspicious.
    private static func hasDotsWhenDecoded(_ component: String) -> Bool {
        var reading = component
        for _ in 0..<maximumDecodingCount {
            if hasDots(reading) { return true }
            let decoded = decoded(reading)
            if decoded == reading { return false }
            reading = decoded
        }
        return true
    }

    private static let maximumDecodingCount = 5

    /// Decodes the complete sequences and leaves the others, as lenient servers do.
    private static func decoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (decoded, position): ([UInt8], Int) = ([], 0)
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let high = Hexadecimal.value(of: bytes[position + 1]),
                let low = Hexadecimal.value(of: bytes[position + 2])
            {
                decoded.append(high << 4 | low)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Whether a part of the text between slashes of any kind is `.` or `..`, ignoring invisible characters and
    /// anything after the name.
    private static func hasDots(_ text: String) -> Bool {
        let scalars = text.precomposedStringWithCompatibilityMapping.unicodeScalars
        return scalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).contains { part in
            let name = part.prefix { !endsName($0) }.filter(isVisible)
            return name.count <= 2 && !name.isEmpty && name.allSatisfy { $0 == "." || $0 == ideographicFullStop }
        }
    }

    private static let ideographicFullStop: Unicode.Scalar = "\u{3002}"

    private static func endsName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ";", "?", "#", ":", "\0": true
        default: false
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return scalar.value > 0x20 && properties.generalCategory != .control && properties.generalCategory != .format
            && !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace
    }
}
