/// Names from archives, made safe to show: they may hold escape sequences, or run to thousands of bytes.
enum TerminalText {
    private static let maximumScalarCount = 200

    /// `text` with control and format characters written as `\u{…}`, cut after 200 characters.
    static func escaping(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(maximumScalarCount) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > maximumScalarCount ? result + "…" : result
    }
}
