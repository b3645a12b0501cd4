import BundleModel
import HTTPTypes

/// Comma-separated lists in field values (RFC 9110 §5.6.1).
package enum FieldList {
    /// The elements of `line` without the whitespace around them; empty elements are left out.
    ///
    /// A comma inside a quoted string is not a separator. A quote that is never closed is an ordinary character, so
    /// that it can't hide the directives after it.
    package static func elements(of line: String) -> [Substring] {
        let parts = splitOutsideQuotes(line) ?? line.utf8.split(separator: UInt8(ascii: ",")).map(Substring.init)
        return parts.map(trimmingWhitespace).filter { !$0.isEmpty }
    }

    /// `text` without the spaces and tabs at its ends (OWS, RFC 9110 §5.6.3).
    package static func trimmingWhitespace(_ text: Substring) -> Substring {
        Substring(text.utf8.trimmingBlanks)
    }

    /// Nil when a quoted string isn't closed.
    private static func splitOutsideQuotes(_ line: String) -> [Substring]? {
        var (isQuoted, isEscaped) = (false, false)
        let parts = line.utf8.split { byte in
            defer { isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\") }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return isQuoted ? nil : parts.map(Substring.init)
    }
}

extension HTTPFields {
    /// The elements of all field lines called `name`, in order. Each line is split on its own: a quoted string can't
    /// span two lines.
    package func listElements(of name: HTTPField.Name) -> [Substring] {
        self[values: name].flatMap(FieldList.elements)
    }
}
