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
