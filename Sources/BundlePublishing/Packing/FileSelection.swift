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
