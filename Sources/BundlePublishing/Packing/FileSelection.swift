import BundleStore
import Foundation

/// Decides which files of a folder are packed.
///
/// Of the patterns that cover a path the last one decides: first those below, then the folder's `.bundleignore`, then the
/// excluded and the included ones of ``PackOptions``. What lies in a folder that is left out isn't looked at.
struct FileSelection {
    enum Verdict {
        case packed
        case leftOut
        /// It looks like a secret, and nobody said that it is none.
        case refused
    }

    /// The file with the folder's own patterns.
    static let fileName = ".bundleignore"
    private static let maximumByteCount = 1 << 20

    /// Hidden files are notes of tools to themselves, but for what is made to be published: well-known URIs (RFC 8615), and
    /// the manifests of a build by Vite.
    private static let hidden = patterns(
        [
            ".*", "!.well-known/", "!.vite/", ".vite/*", "!.vite/manifest.json", "!.vite/ssr-manifest.json",
            "node_modules/", "/__MACOSX/",
        ]
    )

    /// Compared with names in lower case.
    private static let secret = patterns(
        [
            ".env", ".env.*", ".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials",
            ".dockercfg", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks",
            "*.keystore", "*.kdbx", "*.ppk",
            // Examples have no values; they are hidden files.
            "!.env.example", "!.env.sample", "!.env.template",
        ]
    )

    private let own: [IgnorePattern]
    private let included: [IgnorePattern]

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the folder's patterns can't be read, aren't in
    ///   UTF-8, or are longer than 1 MiB.
    init(of folder: String, _ options: PackOptions) throws(BundleError) {
        included = options.included
        own =
            try Self.patterns(in: "\(folder)/\(Self.fileName)") + options.excluded
            + options.included.compactMap { $0.negated() }
    }

    func verdict(on path: String, isFolder: Bool) -> Verdict {
        let decisive = Self.last(of: own, path, isFolder)
        if let decisive, !decisive.isNegated { return .leftOut }
        if !isFolder, isSecret(path) { return .refused }
        if decisive != nil { return .packed }
        return Self.last(of: Self.hidden, path, isFolder)?.isNegated ?? true ? .packed : .leftOut
    }

    private func isSecret(_ path: String) -> Bool {
        guard let pattern = Self.last(of: Self.secret, path.lowercased(), false), !pattern.isNegated else {
            return false
        }
        return !included.contains { $0.covers(path, isFolder: false) }
    }

    private static func last(of patterns: [IgnorePattern], _ path: String, _ isFolder: Bool) -> IgnorePattern? {
        patterns.last { $0.covers(path, isFolder: isFolder) }
    }

    private static func patterns(_ lines: some Sequence<String>) -> [IgnorePattern] {
        lines.compactMap { IgnorePattern($0) }
    }

    private static func patterns(in path: String) throws(BundleError) -> [IgnorePattern] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let file = FileHandle(forReadingAtPath: path)
        defer { try? file?.close() }
        guard let data = try? file?.read(upToCount: maximumByteCount + 1) ?? Data(), data.count <= maximumByteCount,
            let text = String(data: data, encoding: .utf8)
        else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(path)) isn't a list of patterns in UTF-8 that can be read; give one pattern a line"
            )
        }
        let start = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        // A line may end in a carriage return, too; in Swift the two are one character.
        return patterns(start.split { $0 == "\n" || $0 == "\r\n" }.map(String.init))
    }
}

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
