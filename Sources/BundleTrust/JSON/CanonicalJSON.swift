import BundleModel

/// The canonical form of JSON over which TUF's signatures are made (“OLPC canonical JSON”, as securesystemslib writes it): members
/// sorted by code point, integers only, `\` and `"` as the only characters that are escaped, and no white space.
package enum CanonicalJSON {
    /// A number with a fraction or an exponent, which has no canonical form.
    package struct NumberError: Error, Equatable, CustomStringConvertible {
        /// The number as written.
        package let text: String

        /// The problem as a clause.
        package var description: String { "the number \(Printable.text(text)) is not an integer" }
    }

    /// The canonical form of `value`, at most as long as a text that it was parsed from.
    ///
    /// - Throws: ``NumberError`` for a number that isn't an integer.
    package static func bytes(of value: JSONValue) throws(NumberError) -> [UInt8] {
        var text: [UInt8] = []
        try write(value, to: &text)
        return text
    }

    private static func write(_ value: JSONValue, to text: inout [UInt8]) throws(NumberError) {
        switch value {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): try write(number, to: &text)
        case .string(let string): write(string, to: &text)
        case .array(let elements): try write(elements, to: &text)
        case .object(let object): try write(object, to: &text)
        }
    }

    private static func write(_ number: JSONNumber, to text: inout [UInt8]) throws(NumberError) {
        guard number.text.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }) else {
            throw NumberError(text: number.text)
        }
        // Integers have no negative zero.
        text.append(contentsOf: (number.text == "-0" ? "0" : number.text).utf8)
    }

    private static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func write(_ elements: [JSONValue], to text: inout [UInt8]) throws(NumberError) {
        text.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            try write(element, to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    private static func write(_ object: JSONObject, to text: inout [UInt8]) throws(NumberError) {
        text.append(UInt8(ascii: "{"))
        // The order of UTF-8's bytes is that of code points.
        let members = object.members.sorted { ExactString($0.key) < ExactString($1.key) }
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            write(member.key, to: &text)
            text.append(UInt8(ascii: ":"))
            try write(member.value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }
}
