/// What a version index says of a file's name: whether its content never changes under it, and where in the path the
/// hash is. Takes four bytes; zeros for a name that says nothing.
package struct NameMark: Equatable {
    /// The mark of a name under which the content may change.
    package static let none = NameMark(nil, hash: nil)

    /// Why the content never changes; nil when it may.
    package let immutability: Immutability?
    /// Where in the path the hash is; nil when it isn't known.
    package let hash: Range<Int>?

    package init(_ immutability: Immutability?, hash: Range<Int>?) {
        self.immutability = immutability
        self.hash = immutability == nil ? nil : hash
    }

    /// Reads the mark of a path of `pathByteCount` bytes. Of a damaged one nothing counts.
    init(_ encoded: UInt32, pathByteCount: Int) {
        let start = Int(encoded & 0xFFFF)
        let end = start + Int(encoded >> 16 & 0xFF)
        self.init(
            end <= pathByteCount ? Immutability(rawValue: UInt8(encoded >> 24)) : nil,
            hash: end > start ? start..<end : nil
        )
    }

    /// The offset of the hash in the lower two bytes, its length in the third, the reason in the highest.
    var encoded: UInt32 {
        guard let immutability else { return 0 }
        let reason = UInt32(immutability.rawValue) << 24
        guard let hash, hash.lowerBound <= UInt16.max, hash.count <= UInt8.max else { return reason }
        return reason | UInt32(hash.count) << 16 | UInt32(hash.lowerBound)
    }
}

/// Why the content of a file never changes under its name, so that browsers need not ask for it again (RFC 8246).
public enum Immutability: UInt8, Sendable, CaseIterable {
    /// The manifest says so.
    case manifest = 1
    /// The name has the beginning of the content's SHA-256.
    case digest = 2
    /// A bundler's own list of its output maps a name without a hash to this one.
    case buildManifest = 3
    /// Its folder, or the release, has many names with a hash in the same place.
    case siblings = 4
    /// Nobody makes up such a name.
    case name = 5

    /// The word for it in reports: `build-manifest`.
    public var word: String {
        switch self {
        case .manifest: "manifest"
        case .digest: "digest"
        case .buildManifest: "build-manifest"
        case .siblings: "siblings"
        case .name: "name"
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The part of a path before the file's name, with the slash.
    package var folder: Slice<UnsafeRawBufferPointer> { self[..<((lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)] }
}

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
