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
