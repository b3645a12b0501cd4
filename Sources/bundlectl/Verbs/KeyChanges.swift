import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation

/// What all changes of a publisher's keys take.
struct CeremonyOptions: ParsableArguments {
    @OptionGroup var keys: KeyFolderOptions

    @Option(
        name: .customLong("feed"),
        help: ArgumentHelp("The folder of a feed that the keys sign; repeatable.", valueName: "dir"),
        completion: .directory
    )
    var feeds: [String] = []

    @OptionGroup var passphrases: PassphraseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if feeds.contains("") { throw ValidationError("--feed is empty; name the folder of a feed") }
    }

    /// Changes the keys, and reports it.
    ///
    /// - Parameter isEncrypted: Whether a new key is encrypted in any case.
    func change(_ action: KeyChange.Action, of role: KeyRole, encrypting isEncrypted: Bool = false) throws {
        let rotated = try keys.folder.change(
            KeyChange(action, of: role),
            feeds: feeds,
            passphrase: passphrases.passphrase,
            newPassphrase: { wasEncrypted in
                let isEncrypted = isEncrypted || wasEncrypted || passphrases.passphraseFile != nil
                return isEncrypted ? try passphrases.newPassphrase() : nil
            }
        )
        try report(rotated)
        if role != .root, feeds.isEmpty, let overview = try? keys.folder.overview(), overview.rootVersion != nil,
            overview.draft == nil
        {
            output.console.warn([
                "no feed was named, so that none was signed again; do that for each feed of these keys: “bundlectl keys sign --in "
                    + "\(Printable.line(overview.path)) --feed DIR”"
            ])
        }
    }

    /// Reports the folder, and the feeds that were signed again.
    func report(_ rotated: [RotatedFeed]) throws {
        try output.console.report(KeysSummary(try keys.folder.overview(), rotated))
    }
}

/// The key that a role gets.
struct NewKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("public"),
        help: ArgumentHelp(
            "The public half of a key that somebody else or a key store has: its file, in PEM or as TUF has it, or the "
                + "64 digits of a key of Ed25519. Without this a key is made.",
            valueName: "file|hex"
        ),
        completion: .file()
    )
    var publicKey: String?

    @Option(
        help: ArgumentHelp(
            "The command by which a key store signs with that key. The shell runs it with the document on its standard "
                + "input; it writes the signature, as it is, in hexadecimal digits or in Base64. BUNDLECTL_KEY_ID is "
                + "the key's id.",
            valueName: "command"
        )
    )
    var signWith: String?

    @Flag(help: "Encrypt a key that is made, as one is anyway where others are.")
    var passphrase = false

    func validate() throws {
        if publicKey == "" {
            throw ValidationError("--public is empty; name the file of a public key, or give its digits")
        }
        if signWith == "" {
            throw ValidationError("--sign-with is empty; give the command by which the key store signs")
        }
        if signWith != nil, publicKey == nil {
            throw ValidationError("--sign-with needs the public half of the key; name its file with --public")
        }
        if publicKey != nil, passphrase {
            throw ValidationError("--passphrase is of no use with --public, since no key is made; leave it out")
        }
    }

    /// The key.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when its file can't be read; `invalidArgument` when it isn't a key.
    func key() throws(BundleError) -> KeyChange.NewKey {
        guard let publicKey else { return .made }
        let isFile = publicKey.utf8.count != 64 || Hexadecimal.bytes(of: publicKey) == nil
        let bytes = isFile ? try InputDocument(publicKey, atMost: 65_536).bytes : Array(publicKey.utf8)
        let key = try PublishedKey(reading: bytes, named: publicKey)
        return signWith.map { .stored(key, command: $0) } ?? .published(key)
    }
}

struct KeysRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace a key by a new one, and sign the feeds again.",
        discussion: """
            The new root is signed by the root key, and by the one before where that is replaced. Devices follow by \
            themselves; nobody needs a new app. For a new online or release key, name all feeds that the keys sign: \
            a feed that isn't named is refused until “bundlectl keys sign” or another change names it. Look through the \
            archives that are signed, since who has stolen a key may have added one. Each new root is \
            good for a year. Where one signature is enough, the new key takes the place of all keys of the role. \
            Where several root keys must sign, the others sign the draft by “bundlectl keys sign”.

            Examples:
              bundlectl keys rotate online --in keys --feed /srv/www/releases
              bundlectl keys rotate release --in keys --public release.pem --sign-with ./ask-key-store
            """
    )

    @Argument(help: ArgumentHelp("What the key is for: root, release or online.", valueName: "role"))
    var role: KeyRole

    @OptionGroup var new: NewKeyOptions
    @OptionGroup var ceremony: CeremonyOptions

    func run() async throws { try ceremony.change(.replacing(new.key()), of: role, encrypting: new.passphrase) }
}

struct KeysAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Give a role one more key, and sign the feeds again.",
        discussion: """
            How many of a role's keys must sign stays; “bundlectl keys threshold” changes that. In a folder without a root \
            a key is made and nothing else: its owner gives the public half that is shown to those who have the root, for \
            their --public.

            Examples:
              bundlectl keys add root --in keys --public 5f0c…
              bundlectl keys add release --in keys --public release.pem --sign-with ./ask-key-store
            """
    )

    @Argument(help: ArgumentHelp("What the key is for: root, release or online.", valueName: "role"))
    var role: KeyRole

    @OptionGroup var new: NewKeyOptions
    @OptionGroup var ceremony: CeremonyOptions

    func run() async throws { try ceremony.change(.adding(new.key()), of: role, encrypting: new.passphrase) }
}

struct KeysRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take a key from a role, and sign the feeds again.",
        discussion: """
            As many keys as must sign have to be left. The key's file stays, and is of no use any more.

            Example:
              bundlectl keys remove release 4f2a --in keys --feed /srv/www/releases
            """
    )

    @Argument(help: ArgumentHelp("What the key is for: root, release or online.", valueName: "role"))
    var role: KeyRole

    @Argument(
        help: ArgumentHelp("The beginning of the key's id, as “bundlectl keys show” prints it.", valueName: "key")
    )
    var key: String

    @OptionGroup var ceremony: CeremonyOptions

    func run() async throws { try ceremony.change(.removing(key), of: role) }
}

struct KeysThreshold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threshold",
        abstract: "Say how many keys of a role must sign, and sign the feeds again.",
        discussion: """
            A thief of fewer keys can do nothing with them. Root keys of several persons sign in turn (“bundlectl keys \
            sign”). Release keys have to be in one folder when a release is published, or in key stores that it names.

            Example:
              bundlectl keys threshold root 2 --in keys
            """
    )

    @Argument(help: ArgumentHelp("What the keys are for: root, release or online.", valueName: "role"))
    var role: KeyRole

    @Argument(help: ArgumentHelp("How many must sign, at least 1.", valueName: "count"))
    var count: Int

    @OptionGroup var ceremony: CeremonyOptions

    func validate() throws {
        if count < 1 { throw ValidationError(count, of: "the threshold", mustBe: "1 or more", suchAs: "2") }
    }

    func run() async throws { try ceremony.change(.requiring(count), of: role) }
}
