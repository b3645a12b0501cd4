import ArgumentParser

/// How a verb reports.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only; with --json, nothing but the document.")
    var quiet = false

    /// The verb's output.
    var console: Console { Console(format: json ? .json : .text, isQuiet: quiet) }
}
