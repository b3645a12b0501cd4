/// Texts in unit files. Control characters have to be refused before.
enum SystemdQuoting {
    /// The path of the program in `ExecStart=` (systemd.service(5), “Command lines”): a word of its own, in which no
    /// variable is expanded.
    static func program(_ path: String) -> String { word(path) }

    /// An argument in `ExecStart=`.
    static func argument(_ text: String) -> String {
        text.isPlainWord ? text : word(text.replacing("$", with: "$$"))
    }

    /// A word of a list of paths.
    static func path(_ path: String) -> String { word(path) }

    /// In quotes (systemd.syntax(7), “Quoting”), with percent signs that are no specifiers (systemd.unit(5)).
    private static func word(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
        return text.isPlainWord ? text : "\"\(escaped)\""
    }
}

/// Words in a line of a crontab. Control characters have to be refused before.
enum CrontabQuoting {
    /// A word for the shell, in which no percent sign ends the command (crontab(5)).
    static func word(_ text: String) -> String {
        text.shellWord.replacing("%", with: "\\%")
    }
}

extension String {
    /// As one word for a POSIX shell. Control characters have to be refused or made printable before.
    var shellWord: String { isPlainWord ? self : "'\(replacing("'", with: "'\\''"))'" }
}

extension String {
    /// Whether it means itself in unit files and to a shell, without quotes.
    var isPlainWord: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/._-=:+,@".utf8.contains(byte)
                }
            }
    }
}
