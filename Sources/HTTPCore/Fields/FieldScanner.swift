import BundleModel
import HTTPTypes

/// Parses a field value from left to right by the grammar of RFC 9110 §5.6. Text that doesn't match isn't consumed.
///
/// It works on bytes, which may be those of a string or of a received message: indices into a `Substring` round to
/// whole characters, which malformed text may not have.
package struct FieldScanner<Text: BidirectionalCollection<UInt8>> where Text.SubSequence == Text {
    private(set) var remainder: Text

    package init(_ text: String) where Text == Substring.UTF8View {
        remainder = text[...].utf8
    }

    package init(_ bytes: UnsafeRawBufferPointer) where Text == Slice<UnsafeRawBufferPointer> {
        remainder = bytes[...]
    }

    package var isAtEnd: Bool { remainder.isEmpty }

    /// Takes `literal`, in exactly this case unless its letters may be in any.
    package mutating func take(_ literal: String, ignoringCase: Bool = false) -> Bool {
        let start = remainder.prefix(literal.utf8.count)
        guard ignoringCase ? start.isSameName(as: literal.utf8) : start.elementsEqual(literal.utf8) else {
            return false
        }
        remainder = remainder.dropFirst(literal.utf8.count)
        return true
    }

    /// Takes as many bytes as `isMember` accepts, or none.
    package mutating func take(while isMember: (UInt8) -> Bool) -> Text {
        let end = remainder.firstIndex { !isMember($0) } ?? remainder.endIndex
        let taken = remainder[..<end]
        remainder = remainder[end...]
        return taken
    }

    /// Optional white space (§5.6.3).
    package mutating func skipWhitespace() {
        _ = take(while: ASCII.isBlank)
    }

    /// A token (§5.6.2).
    package mutating func token() -> Text? {
        let token = take(while: HTTPSyntax.isTokenByte)
        return token.isEmpty ? nil : token
    }

    /// A whole number in decimal digits. One that is too large for `Int` becomes `Int.max`.
    package mutating func number() -> Int? {
        let digits = take(while: ASCII.isDigit)
        return digits.isEmpty ? nil : digits.reduce(0) { $0.appending(digit: $1) }
    }

    /// A quoted string (§5.6.4), without its quotes and escapes.
    package mutating func quotedString() -> String? {
        let start = remainder
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while true {
            text += take { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if take("\"") { return String(decoding: text, as: UTF8.self) }
            guard take("\\"), let escaped = remainder.popFirst() else { break }
            text.append(escaped)
        }
        remainder = start
        return nil
    }
}

extension Int {
    /// Appends a decimal digit; a number that would overflow becomes the largest one.
    fileprivate func appending(digit: UInt8) -> Int {
        let (product, productOverflows) = multipliedReportingOverflow(by: 10)
        let (sum, sumOverflows) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
        return productOverflows || sumOverflows ? .max : sum
    }
}

// MARK: - Lists (§5.6.1)

extension FieldScanner {
    /// Moves to the list's next member, past white space and empty members (§5.6.1.2). Returns false when there is
    /// none.
    mutating func nextMember() -> Bool {
        _ = take { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
        return !isAtEnd
    }

    /// Whether the current member ends here, at a comma or at the value's end.
    mutating func memberEnds() -> Bool {
        skipWhitespace()
        return isAtEnd || remainder.first == UInt8(ascii: ",")
    }

    /// Moves to the next comma outside quoted strings, or to the value's end if a quoted string isn't terminated.
    mutating func skipMember() {
        while let next = remainder.first, next != UInt8(ascii: ",") {
            if next != UInt8(ascii: "\"") {
                remainder = remainder.dropFirst()
            } else if quotedString() == nil {
                remainder = remainder[remainder.endIndex...]
            }
        }
    }
}

// MARK: - Media types (§8.3.1) and parameters (§5.6.6)

extension FieldScanner {
    /// A type and subtype, in lower case.
    mutating func mediaType() -> String? {
        guard let type = token(), take("/"), let subtype = token() else { return nil }
        return "\(String(decoding: type, as: UTF8.self))/\(String(decoding: subtype, as: UTF8.self))".lowercased()
    }

    /// The parameters that follow, with their names in lower case. Nil when one of them is malformed.
    package mutating func parameters() -> [(name: String, value: String)]? {
        var parameters: [(name: String, value: String)] = []
        while startsParameter() {
            guard let name = token() else { continue }
            guard take("="), let value = quotedString() ?? token().map({ String(decoding: $0, as: UTF8.self) })
            else { return nil }
            parameters.append((String(decoding: name, as: UTF8.self).lowercased(), value))
        }
        return parameters
    }

    private mutating func startsParameter() -> Bool {
        let start = remainder
        skipWhitespace()
        guard take(";") else {
            remainder = start
            return false
        }
        skipWhitespace()
        return true
    }
}

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

extension UInt8 {
    /// The byte in lower case if it is an ASCII letter, otherwise unchanged.
    @inline(__always)
    var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}

extension Sequence<UInt8> {
    /// Whether both are the same but for the case of ASCII letters.
    func isSameName(as other: some Sequence<UInt8>) -> Bool {
        elementsEqual(other) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are a name, compared without case (RFC 5234 §2.3).
    ///
    /// - Parameter name: In lower case.
    @inline(__always)
    package func isName(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].asciiLowercased != name.utf8Start[index] { return false }
        return true
    }
}
