/// How much a text of eight letters, digits, hyphens and underscores looks like a hash of Rollup, Vite or esbuild.
///
/// Of random texts of base64url 2 % count as written and 1 % as doubtful; of the others a good half are unusual.
struct Base64Look {
    private let text: ArraySlice<UInt8>
    private let parts: [TextParts.Part]
    private let words: [ArraySlice<UInt8>]
    private let numbers: [ArraySlice<UInt8>]
    private let hasUppercase: Bool
    private let hasLowercase: Bool

    static func look(of text: ArraySlice<UInt8>) -> TokenLook { Base64Look(text).look }

    private init(_ text: ArraySlice<UInt8>) {
        self.text = text
        parts = TextParts(text).parts
        words = parts.filter { $0.kind == .letters }.map(\.text)
        numbers = parts.filter { $0.kind == .digits }.map(\.text)
        hasUppercase = text.contains(where: ASCII.isUppercase)
        hasLowercase = text.contains(where: TextParts.isLowercase)
    }

    private var hasSeparator: Bool { words.count + numbers.count < parts.count }

    private var look: TokenLook {
        if isWritten { return .written }
        if let wordLook { return wordLook }
        // With a separator it may as well be two parts of a name.
        if hasSeparator { return .possible }
        let changeCount = zip(text, text.dropFirst()).count { TextParts.isLowercase($0) && ASCII.isUppercase($1) }
        if isRestless { return changeCount >= 2 ? .random : .unusual }
        let isUnusual =
            changeCount >= 2 && parts.count >= 4 || words.contains(where: Self.isUnpronounceable)
            || !hasLowercase && parts.count >= 4
        return isUnusual ? .unusual : .possible
    }

    /// Whether it has one case only, a language and a region, or a year, a date or a size.
    private var isWritten: Bool {
        if hasSeparator, !hasUppercase || !hasLowercase || hasLocale { return true }
        if !hasUppercase, numbers.isEmpty || !hasLowercase { return true }
        return numbers.contains { $0.count >= 4 }
    }

    /// Whether it is one word or two, or has a word; nil if it hasn't.
    private var wordLook: TokenLook? {
        let rareCount = words.reduce(0) { $0 + LetterPairs.rareCount(in: $1) }
        if numbers.isEmpty, !hasSeparator {
            if words.count == 1, hasLowercase { return rareCount < 4 ? .written : .doubtful }
            if words.count == 2, rareCount <= 2 { return rareCount < 2 ? .written : .doubtful }
        }
        guard words.contains(where: Self.isWord) else { return nil }
        // What people put beside a word, such as the 2 and the 1 in “OAuth2v1”, or “Rev” in “Rev2Part”.
        let rest = words.filter { !Self.isWord($0) && ($0.count != 3 || LetterPairs.rareCount(in: $0) > 1) }
        return rest.reduce(0) { $0 + $1.count } >= 3 ? .doubtful : .written
    }

    /// Whether letters and digits change as nobody writes, without the number of a version.
    private var isRestless: Bool {
        hasLowercase && hasUppercase && parts.count >= 5 && !numbers.isEmpty && parts.allSatisfy { $0.text.count <= 3 }
            && numbers.allSatisfy { $0.count <= 2 } && !hasVersion
    }

    /// Whether it has the number of a version: `v2`.
    private var hasVersion: Bool {
        zip(parts, parts.dropFirst()).contains { letters, digits in
            letters.text.last.map { $0 | 0x20 } == UInt8(ascii: "v") && digits.kind == .digits
        }
    }

    /// Whether it has a language and a region: `en-GB`.
    private var hasLocale: Bool {
        let parts = text.split(omittingEmptySubsequences: false) { "-_".utf8.contains($0) }
        return zip(parts, parts.dropFirst()).contains { language, region in
            language.count == 2 && region.count == 2 && language.allSatisfy(TextParts.isLowercase)
                && region.allSatisfy(ASCII.isUppercase)
        }
    }

    /// Whether four letters or more could be a word, or a part of one.
    private static func isWord(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= 4 && LetterPairs.rareCount(in: word) * 5 < word.count
    }

    private static func isUnpronounceable(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= 4 && LetterPairs.rareCount(in: word) * 2 >= word.count - 1
    }
}
