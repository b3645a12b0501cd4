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

/// Sizes for display, in powers of 1000 (SI): `512 B`, `8.6 MB`, `511 MB`.
package enum ByteCount {
    /// The size as text: up to 999 bytes exactly, otherwise rounded to two or three digits.
    package static func text(_ count: Int64) -> String {
        guard count >= 1_000 else { return "\(count) B" }
        var unit: Int64 = 1_000
        for name in ["KB", "MB", "GB", "TB", "PB"] {
            if let number = number(count, in: unit) { return "\(number) \(name)" }
            unit *= 1_000
        }
        return "\(count / unit) EB"
    }

    /// The least size in whole megabytes, or for less in kilobytes, that isn't below `count`, as `bundlectl quota` reads it.
    package static func roundedUp(_ count: Int64) -> String {
        let (unit, name): (Int64, String) = count > 10_000_000 ? (1_000_000, "MB") : (1_000, "KB")
        let (whole, rest) = count.quotientAndRemainder(dividingBy: unit)
        return "\(rest > 0 ? whole + 1 : whole)\(name)"
    }

    /// One decimal below ten, otherwise none, or nil when it would take four digits.
    private static func number(_ count: Int64, in unit: Int64) -> String? {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: unit)
        // Comparing before rounding would turn 9.96 into “10.0”.
        let tenths = whole * 10 + (rest / (unit / 1_000) + 50) / 100
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10)" }
        let rounded = whole + (rest / (unit / 1_000) + 500) / 1_000
        return rounded < 1_000 ? "\(rounded)" : nil
    }
}
