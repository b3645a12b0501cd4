/// Decides about one file name by its look, as programs did that recorded nothing of names in the version index:
/// `app.4f3a9c21.js`, `index-BxZ9dK2f.js`. Only for releases that they installed.
enum Fingerprint {
    /// What an index would say of the file at `path`.
    static func mark(_ path: UnsafeRawBufferPointer) -> NameMark {
        let name = Array(path[path.folder.count...])
        guard let hash = hash(in: name) else { return .none }
        let start = path.count - name.count
        return NameMark(.name, hash: start + hash.lowerBound..<start + hash.upperBound)
    }

    /// Where `name` has a content hash: 8 or more hexadecimal digits with alternating letters and numbers (webpack,
    /// esbuild, Parcel), or exactly 8 characters of base64url after a hyphen (Rollup, Vite). Of several it is the last.
    static func hash(in name: [UInt8]) -> Range<Int>? {
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
