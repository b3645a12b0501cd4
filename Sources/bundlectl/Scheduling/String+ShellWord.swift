extension String {
    /// As one word for a POSIX shell. Control characters have to be refused or made printable before.
    var shellWord: String { isPlainWord ? self : "'\(replacing("'", with: "'\\''"))'" }
}
