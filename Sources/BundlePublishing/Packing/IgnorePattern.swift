import BundleStore
import Foundation

/// One line of a gitignore file (gitignore(5), “Pattern format”): which files and folders it leaves out, or, with `!`,
/// takes back.
///
/// A pattern without a slash, other than one at its end, covers names at any depth; others are anchored at the folder that is
/// packed. `*`, `?` and `[…]` stand for characters of one name, `**` as a whole name for any number of folders. A slash at the
/// end means folders only. Names are compared byte by byte, in Unicode normalisation form C.
///
/// A value type; safe to share between threads.
public struct IgnorePattern: Hashable, Sendable {
    /// The pattern as it was written.
    public let string: String

    /// Whether it takes back what an earlier one leaves out.
    let isNegated: Bool
    private let coversFoldersOnly: Bool
    /// Whether it is compared with the whole path, rather than with the name alone.
    private let isAnchored: Bool
    /// Nil for a malformed pattern, which covers nothing.
    private let glob: Glob?

    /// Returns nil for a line without a pattern: an empty one, or a comment.
    public init?(_ line: String) {
        let normalised = Array(line.precomposedStringWithCanonicalMapping.utf8)
        var bytes = Self.withoutTrailingSpaces(normalised[...])
        guard !bytes.isEmpty, bytes.first != UInt8(ascii: "#") else { return nil }
        string = line
        isNegated = bytes.first == UInt8(ascii: "!")
        if isNegated { bytes.removeFirst() }
        let slash = UInt8(ascii: "/")
        coversFoldersOnly = bytes.last == slash
        if coversFoldersOnly { bytes.removeLast() }
        isAnchored = bytes.contains(slash)
        if bytes.first == slash { bytes.removeFirst() }
        glob = bytes.isEmpty ? nil : Glob(bytes)
    }

    /// Creates the pattern that takes back what this one would leave out.
    func negated() -> IgnorePattern? { isNegated ? self : IgnorePattern("!" + string) }

    /// Whether the pattern itself covers a path, regardless of the folders above it.
    func covers(_ path: String, isFolder: Bool) -> Bool {
        guard isFolder || !coversFoldersOnly, let glob else { return false }
        let bytes = path.utf8
        guard !isAnchored, let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return glob.matches(bytes[...]) }
        return glob.matches(bytes[bytes.index(after: slash)...])
    }

    /// Spaces at the end count only after a backslash.
    private static func withoutTrailingSpaces(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (end, isEscaped) = (bytes.startIndex, false)
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte != UInt8(ascii: " ") || isEscaped { end = index + 1 }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return bytes[..<end]
    }
}

extension IgnorePattern: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}
