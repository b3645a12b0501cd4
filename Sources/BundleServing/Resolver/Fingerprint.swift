import BundleStore

/// Detects file names that change with their content, as bundlers make them: `app.4f3a9c21.js`, `index-BxZ9dK2f.js`.
///
/// A false positive would keep an old file in browsers for a year, a false negative costs a revalidation; so doubtful
/// names don't count.
package enum Fingerprint {
    /// Whether `fileName` has a part that is a content hash: 8 or more hexadecimal digits with alternating letters and
    /// numbers (webpack, esbuild, Parcel), or exactly 8 characters of base64url after a hyphen (Rollup, Vite).
    package static func isPresent(in fileName: some StringProtocol) -> Bool {
        hash(in: Array(fileName.utf8)) != nil
    }

    /// The name with `*` in place of the hash, or nil when it has none. Of several hashes only the last is replaced.
    static func replaced(in fileName: some StringProtocol) -> String? {
        let name = Array(fileName.utf8)
        guard let hash = hash(in: name) else { return nil }
        return String(
            decoding: name[..<hash.lowerBound] + [UInt8(ascii: "*")] + name[hash.upperBound...],
            as: UTF8.self
        )
    }

    private static func hash(in name: [UInt8]) -> Range<Int>? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let stem = name[..<dot]
        if let part = stem.split(whereSeparator: { separators.contains($0) }).last(where: isHexadecimalHash) {
            return part.startIndex..<part.endIndex
        }
        return isRollupHash(stem) ? stem.suffix(8).startIndex..<stem.endIndex : nil
    }

    private static let separators = Set(".-_~".utf8)

    private static func isHexadecimalHash(_ part: ArraySlice<UInt8>) -> Bool {
        part.count >= 8 && part.allSatisfy { ASCII.isDigit($0) || isHexadecimalLetter($0) }
            && !isWords(part) && !isNumbered(part)
    }

    private static func isRollupHash(_ stem: ArraySlice<UInt8>) -> Bool {
        let hash = stem.suffix(8)
        guard hash.count == 8, hash.startIndex > stem.startIndex, stem[hash.startIndex - 1] == UInt8(ascii: "-"),
            hash.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") })
        else { return false }
        return hash.contains(where: ASCII.isDigit) && hash.contains(where: ASCII.isUppercase)
            && hash.contains(where: { ASCII.isLetter($0) && !ASCII.isUppercase($0) }) && !isWords(hash)
    }

    /// Whether a text looks like words and a number, or one of them: `Version2`, `MyPage12`.
    private static func isWords(_ text: ArraySlice<UInt8>) -> Bool {
        let word = text.reversed().drop(while: ASCII.isDigit)
        return !word.contains(where: ASCII.isDigit)
    }

    /// Whether a text looks like a number and its revision, or one of them: `20261120a`.
    private static func isNumbered(_ text: ArraySlice<UInt8>) -> Bool {
        !text.drop(while: ASCII.isDigit).contains(where: ASCII.isDigit)
    }

    private static func isHexadecimalLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
