/// Why the shell can't start, and what to do.
struct ShellFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
