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
