import ArgumentParser
import BundlePublishing
import BundleStore
import Foundation
import Synchronization

/// The folder of the keys that a verb of `keys` is about.
struct KeyFolderOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("The folder of the keys.", valueName: "dir"),
        completion: .directory
    )
    var path: String

    func validate() throws {
        if path.isEmpty { throw ValidationError("--in is empty; name the folder of the keys, such as --in keys") }
    }

    /// The folder.
    var folder: KeyFolder { KeyFolder(path, running: KeyStoreCommand.run) }
}

/// Where the passphrase of encrypted keys comes from.
struct PassphraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file with the passphrase of encrypted keys; without it the terminal asks for it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var passphraseFile: String?

    /// The passphrase of a key.
    ///
    /// - Throws: As ``SecretFile/line(of:)``, or as ``HiddenEntry/line(_:)``.
    func passphrase(of key: KeyFile) throws(BundleError) -> [UInt8] {
        if let passphraseFile { return Array(try SecretFile.line(of: passphraseFile).utf8) }
        return try HiddenEntry.line("passphrase of \(Printable.line(key.path))")
    }

    /// The passphrase for new keys.
    ///
    /// - Throws: As ``passphrase(of:)``; `BundleError` with code `invalidArgument` when it is empty, or the second entry is another one.
    func newPassphrase() throws(BundleError) -> [UInt8] {
        if let passphraseFile { return Array(try SecretFile.line(of: passphraseFile).utf8) }
        let first = try HiddenEntry.line("new passphrase")
        guard !first.isEmpty, try HiddenEntry.line("the same again") == first else {
            throw BundleError(.invalidArgument, "the passphrases aren't the same, or are empty; begin again")
        }
        return first
    }
}

/// The keys that sign a feed.
struct SigningOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the keys that sign the feed; necessary once it is signed.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var keys: String?

    @OptionGroup var passphrases: PassphraseOptions

    func validate() throws {
        if keys == "" { throw ValidationError("--keys is empty; name the folder of the keys, such as --keys keys") }
        if keys == nil, passphrases.passphraseFile != nil {
            throw ValidationError("--passphrase-file is of no use without --keys; name the folder of the keys")
        }
    }

    /// The keys, none of which is opened yet; nil when none are given.
    ///
    /// - Throws: As `SigningKeys`.
    func signingKeys() throws(BundleError) -> SigningKeys? {
        guard let keys else { return nil }
        return try SigningKeys(KeyFolder(keys, running: KeyStoreCommand.run), passphrase: passphrases.passphrase)
    }
}

/// What is asked on the terminal, and isn't shown there.
///
/// Thread-safe.
enum HiddenEntry {
    /// The terminal as it was, while it is asked.
    private static let shown = Mutex<termios?>(nil)

    /// Shows what is typed again, if a question is open: a program that ends would leave the terminal without.
    static func restore() {
        shown.withLock { shown in
            if var attributes = shown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) }
            shown = nil
        }
    }

    /// Asks for a line.
    ///
    /// - Throws: `BundleError` with code `invalidArgument` without a terminal.
    static func line(_ question: String) throws(BundleError) -> [UInt8] {
        var shown = termios()
        guard isatty(STDERR_FILENO) == 1, tcgetattr(STDIN_FILENO, &shown) == 0 else {
            throw BundleError(
                .invalidArgument,
                "there is no terminal to ask for a passphrase; give the file that it is in with --passphrase-file"
            )
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        Self.shown.withLock { [shown] in $0 = shown }
        defer { restore() }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        // In place of what a progress bar has left on the line.
        try? StandardStreams.write("\r\u{1B}[K\(question): ", to: STDERR_FILENO)
        let line = readLine() ?? ""
        try? StandardStreams.write("\n", to: STDERR_FILENO)
        return Array(line.utf8)
    }
}
