import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation

struct KeysGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, show and replace the keys with which a publisher signs.",
        discussion: """
            The release key says what may be installed, the online key who gets it and when, and the root key which keys \
            these are. “bundlectl publish --keys DIR” signs with them.

            Examples:
              bundlectl keys init --in keys
              bundlectl keys show --in keys
              bundlectl keys rotate online --in keys --feed /srv/www/releases
            """,
        subcommands: [
            KeysInit.self, KeysShow.self, KeysRotate.self, KeysAdd.self, KeysRemove.self, KeysThreshold.self,
            KeysSign.self, KeysDiscard.self,
        ]
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
        try output.console.report(FirstKeysSummary(keys: KeysSummary(try keys.folder.overview())))
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

struct KeysSign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a draft of the next root that another person has begun.",
        discussion: """
            Where several root keys must sign, a change of the keys is kept as DIR/draft.root.json until they all have. \
            Copy that file to your folder, which has your key and the roots. What the draft changes is shown first; look \
            whether it is what was agreed. Once it has all signatures it is the next root, and the feeds are signed again. \
            Without a draft the feeds alone are, for a root that was completed elsewhere: copy that to the folder first.

            Example:
              bundlectl keys sign --in keys --feed /srv/www/releases
            """
    )

    @Flag(help: "Sign without asking on the terminal.")
    var yes = false

    @OptionGroup var ceremony: CeremonyOptions

    func run() async throws {
        let rotated = try ceremony.keys.folder.sign(
            feeds: ceremony.feeds,
            passphrase: ceremony.passphrases.passphrase,
            confirming: confirm
        )
        try ceremony.report(rotated)
    }

    private func confirm(_ draft: DraftOverview) throws {
        for line in KeysSummary.Draft(draft).lines { try StandardStreams.write(line + "\n", to: STDERR_FILENO) }
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        guard !yes else { return }
        guard isTerminal else {
            throw BundleError(
                .invalidArgument,
                "there is no terminal to ask whether the draft is the agreed one; say so with --yes"
            )
        }
        let reply = Question(isInteractive: true)("Sign it, yes or no", proposing: "no") { reply in
            ["yes", "no"].first { $0 == reply.lowercased() }
        }
        guard reply == "yes" else { throw BundleError(.invalidArgument, "the draft wasn't signed, as you said") }
    }
}

struct KeysDiscard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Drop the draft of the next root.",
        discussion: """
            The keys stay as the latest root has them. Keys that were made for the draft are of no use then.

            Example:
              bundlectl keys discard --in keys
            """
    )

    @OptionGroup var keys: KeyFolderOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try keys.folder.discardDraft()
        try output.console.report(KeysSummary(try keys.folder.overview()))
    }
}

extension KeyRole: ExpressibleByArgument {}
