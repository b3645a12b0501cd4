import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation

struct KeysGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, show and replace the keys with which a publisher signs: init, show, rotate.",
        discussion: """
            The release key says what may be installed, the online key who gets it and when, and the root key which keys \
            these are. “bundlectl publish --keys DIR” signs with them.

            Examples:
              bundlectl keys init --in keys
              bundlectl keys show --in keys
              bundlectl keys rotate online --in keys --feed /srv/www/releases
            """,
        subcommands: [KeysInit.self, KeysShow.self, KeysRotate.self]
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

struct KeysRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace a key by a new one, and sign the feeds again.",
        discussion: """
            The new root is signed by the root key, and by the one before where that is replaced. Devices follow by \
            themselves; nobody needs a new app. For a new online or release key, name all feeds that the keys sign: \
            a feed that isn't named is refused until another rotation names it. Look through the archives that are signed, \
            since who has stolen a key may have added one. A new root key also makes the root good for another year.

            Example:
              bundlectl keys rotate online --in keys --feed /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("What the key is for: root, release or online.", valueName: "role"))
    var role: KeyRole

    @OptionGroup var keys: KeyFolderOptions

    @Option(
        name: .customLong("feed"),
        help: ArgumentHelp("The folder of a feed that the keys sign; repeatable.", valueName: "dir"),
        completion: .directory
    )
    var feeds: [String] = []

    @Flag(help: "Encrypt the new key, as one is anyway whose predecessor was.")
    var passphrase = false

    @OptionGroup var passphrases: PassphraseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if feeds.contains("") { throw ValidationError("--feed is empty; name the folder of a feed") }
    }

    func run() async throws {
        let rotated = try keys.folder.rotate(
            role,
            feeds: feeds,
            passphrase: passphrases.passphrase,
            newPassphrase: { wasEncrypted in
                let isEncrypted = wasEncrypted || passphrase || passphrases.passphraseFile != nil
                return isEncrypted ? try passphrases.newPassphrase() : nil
            }
        )
        try output.console.report(KeysSummary(try keys.folder.overview(), rotated))
    }
}

extension KeyRole: ExpressibleByArgument {}

/// The result of the verbs of `keys`.
struct KeysSummary: Report {
    struct Key: Encodable {
        let id: String
        let file: String
        /// Empty for a key that was replaced.
        let roles: [String]
        let isEncrypted: Bool
    }

    struct Feed: Encodable {
        struct Archive: Encodable {
            let path: String
            let sha256: String?
        }

        let feed: String
        let signedUntil: Date
        /// Those that may be installed.
        let archives: [Archive]
    }

    let folder: String
    let keys: [Key]
    /// Of the first root; nil without one.
    let anchorSHA256: String?
    /// Of the latest root; nil without one.
    let rootVersion: Int?
    /// When the latest root's life is over; nil without one.
    let rootExpiresAt: Date?
    /// The feeds that were signed again; nil for none.
    let feeds: [Feed]?

    init(_ overview: KeyOverview, _ rotated: [RotatedFeed] = []) {
        let feeds = rotated.map { Feed($0) }
        self.feeds = feeds.isEmpty ? nil : feeds
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
        return table + (facts.isEmpty ? [] : [""] + facts) + (feeds ?? []).flatMap(\.lines)
    }
}

extension KeysSummary.Feed {
    fileprivate init(_ feed: RotatedFeed) {
        self.feed = feed.feedPath
        signedUntil = feed.signedUntil
        archives = feed.archives.map { Archive(path: $0.path, sha256: $0.sha256) }
    }

    /// As sha256sum(1) reads them.
    fileprivate var lines: [String] {
        ["", "\(Printable.line(feed)) is signed until \(Timestamp.text(signedUntil)), and these may be installed:"]
            + archives.map { "\($0.sha256 ?? "-")  \(Printable.line($0.path))" }
    }
}
