/// Standard output can't be written.
struct OutputError: Error, CustomStringConvertible {
    let reason: String

    var description: String { "standard output can't be written: \(reason); write it somewhere else" }
}
