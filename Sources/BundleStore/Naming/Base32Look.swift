/// Which texts of base32 (capitals and the digits 2 to 7) may be hashes in a folder that is full of those of esbuild. Elsewhere
/// one in twenty of them counts as written by people.
enum Base32Look {
    /// Whether `text` is neither a word, nor one with a number behind it, nor has a year.
    static func mayBeHash(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = TextParts(text).parts
        let hasYear = parts.contains { $0.kind == .digits && $0.text.count >= 4 }
        guard !hasYear, let first = parts.first, first.kind == .letters, parts.count <= 2 else { return !hasYear }
        return LetterPairs.rareCount(in: first.text) >= 2
    }
}
