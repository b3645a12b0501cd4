import BundleStore

/// The part of a file's name that may be a hash of its content: `BxZ9dK2f` in `assets/index-BxZ9dK2f.js`.
///
/// It ends a part of the name between dots, other than the last: 8 to 64 lower-case hexadecimal digits (webpack, Parcel,
/// Sprockets), or 8 characters of base64url or base32 (Vite, Rollup, esbuild).
struct NameToken: Equatable {
    enum Alphabet: UInt8 {
        case hexadecimal
        case base32
        case base64
    }

    /// Where it is in the path.
    let range: Range<Int>
    /// The byte before it: `-`, `_`, `~` or `.`, or `/` when the name begins with it.
    let separator: UInt8
    let alphabet: Alphabet
    let look: TokenLook
    let text: ArraySlice<UInt8>

    private static let separators = Array("-_~".utf8)
    private static let base64ByteCount = 8

    /// The last one in the name of the file at `path`; nil when there is none.
    init?(in path: UnsafeRawBufferPointer) {
        let start = (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        // Longer names are rare, and the mark of a name has one byte for a length.
        guard path.count - start <= 255 else { return nil }
        let name = Array(path[start...])
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for part in parts.dropLast().reversed() {
            guard let (text, alphabet) = Self.token(endOf: part) else { continue }
            let separator = text.startIndex > 0 ? name[text.startIndex - 1] : UInt8(ascii: "/")
            range = start + text.startIndex..<start + text.endIndex
            (self.separator, self.alphabet, self.text) = (separator, alphabet, text)
            look = Self.isNamedOtherwise(text, in: name) ? .written : TokenLook(text, alphabet)
            return
        }
        return nil
    }

    private static func token(endOf part: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, Alphabet)? {
        let last = (part.lastIndex(where: separators.contains) ?? part.startIndex - 1) + 1
        let word = part[last...]
        if (8...64).contains(word.count), word.allSatisfy(isHexadecimal) { return (word, .hexadecimal) }
        let text = part.suffix(base64ByteCount)
        guard text.count == base64ByteCount,
            text.startIndex == part.startIndex || separators.contains(part[text.startIndex - 1]),
            text.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        return (text, text.allSatisfy(isBase32) ? .base32 : .base64)
    }

    /// Whether what stands before a hash says that it is one of something else: the end of a UUID (RFC 9562 §4), or the
    /// name that webpack 4 makes of a chunk's modules, which stays when their contents change.
    private static func isNamedOtherwise(_ text: ArraySlice<UInt8>, in name: [UInt8]) -> Bool {
        let before = name[..<text.startIndex]
        let group = before.dropLast().suffix(4)
        let isUUID =
            text.count == 12 && before.count >= 6 && before.last == UInt8(ascii: "-") && group.allSatisfy(isHexadecimal)
            && name[group.startIndex - 1] == UInt8(ascii: "-")
        return isUUID || text.count == 8 && text.allSatisfy(isHexadecimal) && before.elementsEqual("chunk-".utf8)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// RFC 4648 §6.
    private static func isBase32(_ byte: UInt8) -> Bool {
        ASCII.isUppercase(byte) || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte)
    }
}

/// How much a part of a file's name looks like a hash.
enum TokenLook: Int, Comparable {
    /// As people write: words, numbers, dates.
    case written
    /// Rather so: a word, and letters that don't belong to it.
    case doubtful
    /// Either.
    case possible
    /// As people rarely write.
    case unusual
    /// As nobody writes.
    case random

    static func < (left: TokenLook, right: TokenLook) -> Bool { left.rawValue < right.rawValue }

    /// How much it speaks for its siblings being hashes, too: about the logarithm of how much likelier it is among
    /// hashes than among words.
    var weight: Int {
        switch self {
        case .written: -2
        case .doubtful: 0
        case .possible: 1
        case .unusual: 2
        case .random: 3
        }
    }

    /// The look of a text of a kind.
    init(_ text: ArraySlice<UInt8>, _ alphabet: NameToken.Alphabet) {
        self = alphabet == .hexadecimal ? HexadecimalLook.look(of: text) : Base64Look.look(of: text)
    }
}

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

/// The pairs of letters that make up the words of names.
enum LetterPairs {
    /// What commonly follows each letter: 212 of the 676 pairs.
    private static let common: [(first: Unicode.Scalar, seconds: String)] = [
        ("a", "bcdfgiklmnprstuvxy"),
        ("b", "aeiloruy"),
        ("c", "aehiklortu"),
        ("d", "aeioru"),
        ("e", "abcdefilmnprstvxy"),
        ("f", "aefiort"),
        ("g", "aehinoru"),
        ("h", "aeiot"),
        ("i", "abcdefglmnorstvxz"),
        ("j", "os"),
        ("k", "ei"),
        ("l", "adeilosuy"),
        ("m", "aeimopu"),
        ("n", "acdegikost"),
        ("o", "abcdfklmnoprstuvw"),
        ("p", "aehiloprst"),
        ("q", "u"),
        ("r", "acdeikmnorstuy"),
        ("s", "acehikopstu"),
        ("t", "aehiorstuy"),
        ("u", "acegilmnprst"),
        ("v", "aei"),
        ("w", "aehino"),
        ("x", "t"),
        ("z", "e"),
    ]

    /// By 26 times the first letter plus the second.
    private static let isCommon: [Bool] = {
        var table = [Bool](repeating: false, count: 26 * 26)
        for (first, seconds) in common {
            for second in seconds.utf8 {
                if let pair = index(UInt8(ascii: first), second) { table[pair] = true }
            }
        }
        return table
    }()

    /// How many pairs of neighbours in `word`, letters of either case, aren't common.
    static func rareCount(in word: ArraySlice<UInt8>) -> Int {
        zip(word, word.dropFirst()).count { first, second in index(first, second).map { !isCommon[$0] } ?? true }
    }

    private static func index(_ first: UInt8, _ second: UInt8) -> Int? {
        guard ASCII.isLetter(first), ASCII.isLetter(second) else { return nil }
        let a = UInt8(ascii: "a")
        return Int((first | 0x20) - a) * 26 + Int((second | 0x20) - a)
    }
}

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
