import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation

struct KeysGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make and show the keys with which a publisher signs: init, show.",
        discussion: """
            The release key says what may be installed, the online key who gets it and when, and the root key which keys \
            these are. “bundlectl publish --keys DIR” signs with them.

            Examples:
              bundlectl keys init --in keys
              bundlectl keys show --in keys
            """,
        subcommands: [KeysInit.self, KeysShow.self]
    )
}

struct KeysInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a root key, a release key and an online key.",
        discussion: """
            Each is a key of Ed25519 in a file that no other user can read. The folder's 1.root.json is for devices: by its \
            digest they know the feeds of these keys. Back the folder up, and keep root and release key where no server \
            can read them: a feed's server needs the online key alone.

            Example:
              bundlectl keys init --in keys --passphrase
            """
    )

    @OptionGroup var keys: KeyFolderOptions

    @Flag(help: "Encrypt the keys with a passphrase, which the terminal asks for, or --passphrase-file has.")
    var passphrase = false

    @OptionGroup var passphrases: PassphraseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let isEncrypted = passphrase || passphrases.passphraseFile != nil
        try keys.folder.initialize(passphrase: isEncrypted ? passphrases.newPassphrase() : nil)
        try output.console.report(KeysSummary(try keys.folder.overview()))
    }
}

struct KeysShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show which keys a folder has, and the digest by which devices know their feeds.",
        discussion: """
            Example:
              bundlectl keys show --in keys
            """
    )

    @OptionGroup var keys: KeyFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws { try output.console.report(KeysSummary(try keys.folder.overview())) }
}

/// The result of the verbs of `keys`.
struct KeysSummary: Report {
    struct Key: Encodable {
        let id: String
        let file: String
        /// Empty for a key that was replaced.
        let roles: [String]
        let isEncrypted: Bool
    }

    let folder: String
    let keys: [Key]
    /// Of the first root; nil without one.
    let anchorSHA256: String?
    /// Of the latest root; nil without one.
    let rootVersion: Int?
    /// When the latest root's life is over; nil without one.
    let rootExpiresAt: Date?

    init(_ overview: KeyOverview) {
        folder = overview.path
        keys = overview.keys.map {
            Key(id: $0.id, file: $0.path, roles: $0.roles.map(\.rawValue), isEncrypted: $0.isEncrypted)
        }
        anchorSHA256 = overview.firstRoot?.hex
        rootVersion = overview.rootVersion
        rootExpiresAt = overview.rootExpiry
    }

    var lines: [String] {
        let table = Table.lines(
            of: keys,
            [
                .left("ROLE") { $0.roles.isEmpty ? "none" : $0.roles.joined(separator: ", ") },
                .left("KEY") { $0.id }, .left("ENCRYPTED") { $0.isEncrypted ? "yes" : "no" },
                .left("FILE") { Printable.line($0.file) },
            ]
        )
        let facts = KeyValueList.lines([
            ("devices trust", anchorSHA256.map { "sha256:\($0)" }),
            ("root", rootVersion.map { "version \($0), good until \(rootExpiresAt.map(Timestamp.text) ?? "")" }),
        ])
        return table + (facts.isEmpty ? [] : [""] + facts)
    }
}
