/// A text in the parts that people write names of: words with or without a capital, acronyms, numbers, and single
/// hyphens and underscores. `OAuth2v1` has `O`, `Auth`, `2`, `v` and `1`.
struct TextParts {
    enum Kind: Equatable {
        case digits
        case letters
        case separator
    }

    struct Part: Equatable {
        let kind: Kind
        let text: ArraySlice<UInt8>
    }

    let parts: [Part]

    init(_ text: ArraySlice<UInt8>) {
        var parts: [Part] = []
        var start = text.startIndex
        for index in text.indices.dropFirst() where Self.begins(at: index, in: text) {
            parts.append(Part(kind: Self.kind(text[start]), text: text[start..<index]))
            start = index
        }
        if let first = text[start...].first { parts.append(Part(kind: Self.kind(first), text: text[start...])) }
        self.parts = parts
    }

    /// Whether a part begins at `index`, which isn't the first.
    private static func begins(at index: Int, in text: ArraySlice<UInt8>) -> Bool {
        let (before, this) = (text[index - 1], text[index])
        guard kind(before) == kind(this), kind(this) != .separator else { return true }
        guard kind(this) == .letters else { return false }
        switch (ASCII.isUppercase(before), ASCII.isUppercase(this)) {
        case (true, true): return index + 1 < text.endIndex && isLowercase(text[index + 1])
        case (false, true): return true
        default: return false
        }
    }

    private static func kind(_ byte: UInt8) -> Kind {
        ASCII.isDigit(byte) ? .digits : ASCII.isLetter(byte) ? .letters : .separator
    }

    static func isLowercase(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) && !ASCII.isUppercase(byte) }
}
