/// Words in a line of a crontab. Control characters have to be refused before.
enum CrontabQuoting {
    /// A word for the shell, in which no percent sign ends the command (crontab(5)).
    static func word(_ text: String) -> String {
        text.shellWord.replacing("%", with: "\\%")
    }
}
