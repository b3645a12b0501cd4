import BundleModel


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
