/// Writes JSON deterministically: members in the order given, `/` unescaped, optionally indented by two spaces.
package struct JSONWriter {
    /// The layout of the text.
    package enum Layout: Sendable {
        /// No white space.
        case compact
        /// One member or element per line, and a line feed at the end.
        case lines
    }

    private let layout: Layout
    private var text: [UInt8] = []
    private var depth = 0

    /// The UTF-8 of `value`.
    package static func bytes(of value: JSONValue, _ layout: Layout) -> [UInt8] {
        var writer = JSONWriter(layout: layout)
        writer.write(value)
        if layout == .lines { writer.write("\n") }
        return writer.text
    }

    private init(layout: Layout) {
        self.layout = layout
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .number(let number): write(number.text)
        case .string(let string): write(quoted: string)
        case .array(let elements):
            write(elements, between: "[", "]") { writer, element in writer.write(element) }
        case .object(let object):
            write(object.members, between: "{", "}") { writer, member in
                writer.write(quoted: member.key)
                writer.write(writer.layout == .lines ? ": " : ":")
                writer.write(member.value)
            }
        }
    }

    private mutating func write<Item>(
        _ items: [Item],
        between opening: String,
        _ closing: String,
        each: (inout JSONWriter, Item) -> Void
    ) {
        write(opening)
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { write(",") }
            breakLine()
            each(&self, item)
        }
        depth -= 1
        if !items.isEmpty { breakLine() }
        write(closing)
    }

    private mutating func breakLine() {
        guard layout == .lines else { return }
        write("\n")
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    /// Escapes only what RFC 8259 §7 requires.
    private mutating func write(quoted string: String) {
        write("\"")
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case UInt8(ascii: "\n"): write("\\n")
            case UInt8(ascii: "\t"): write("\\t")
            case ..<0x20: write("\\u00" + Hexadecimal.string(of: [byte]))
            default: text.append(byte)
            }
        }
        write("\"")
    }

    private mutating func write(_ string: String) {
        text.append(contentsOf: string.utf8)
    }
}
