/// Makes text from outside safe to show on a terminal: a name in an archive may contain escape sequences.
package enum Printable {
    /// `text` with every control and format character written as `\u{…}`, truncated after 200 characters.
    package static func text(_ text: String) -> String {
        let isLong = text.unicodeScalars.count > 200
        return line(String(text.unicodeScalars.prefix(200))) + (isLong ? "…" : "")
    }

    /// All of `text`, with every control and format character, including line breaks, written as `\u{…}`.
    package static func line(_ text: String) -> String {
        // Nearly every text; the properties of a character take long.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
