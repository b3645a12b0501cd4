/// How much a text of lower-case hexadecimal digits looks like a hash.
enum HexadecimalLook {
    /// The length from which it can't be a word or a number with letters.
    private static let longByteCount = 12

    static func look(of text: ArraySlice<UInt8>) -> TokenLook {
        // A number or a date, or a word such as “deadbeef”.
        guard text.contains(where: ASCII.isDigit), text.contains(where: ASCII.isLetter) else { return .written }
        let (runCount, distinctCount) = (TextParts(text).parts.count, Set(text).count)
        // A colour such as “ff00ff00”.
        if distinctCount <= 2 { return .written }
        // Colours, made-up values such as “a1b2c3d4”, and a number with its revision such as “20261120a”.
        if distinctCount <= 4 || runCount == text.count || runCount < 3 || isUUID(text) { return .possible }
        if runCount == 3 { return distinctCount >= 6 ? .unusual : .possible }
        return text.count >= longByteCount || runCount >= 5 ? .random : .unusual
    }

    /// Whether it is the hexadecimal form of a random UUID (RFC 9562 §5.4), which names a thing, not its content.
    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        text.count == 32 && text[text.startIndex + 12] == UInt8(ascii: "4")
            && "89ab".utf8.contains(text[text.startIndex + 16])
    }
}
