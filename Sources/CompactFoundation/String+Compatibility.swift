extension StringProtocol {
    /// The text in Unicode normalisation form KC, as far as its punctuation of ASCII, its ideographic full stop and its
    /// spaces are concerned: Swift's library doesn't know the other mappings, and paths are compared by these alone.
    public var precomposedStringWithCompatibilityMapping: String {
        var scalars = String.UnicodeScalarView()
        for scalar in precomposedStringWithCanonicalMapping.unicodeScalars {
            switch scalar.value {
            // The full-width forms of ASCII.
            case 0xFF01...0xFF5E: scalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
            case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: scalars.append(" ")
            default: scalars.append(contentsOf: (mappings[scalar.value] ?? String(scalar)).unicodeScalars)
            }
        }
        return String(scalars)
    }
}

private let mappings: [UInt32: String] = [
    0x2024: ".", 0x2025: "..", 0x2026: "...", 0xFE19: "...", 0xFE30: "..", 0xFE52: ".", 0xFE68: "\\", 0xFE6A: "%",
    0xFE13: ":", 0xFE14: ";", 0xFE16: "?", 0xFE54: ";", 0xFE55: ":", 0xFE56: "?", 0xFE5F: "#", 0x2047: "??", 0x2048: "?!",
    0x2049: "!?", 0x2A74: "::=", 0xFF61: "\u{3002}", 0xFE12: "\u{3002}",
]
