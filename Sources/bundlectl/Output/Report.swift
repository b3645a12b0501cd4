/// The result of a verb: a JSON document of a stable shape, and the same as text.
protocol Report: Encodable {
    /// The lines of the text, safe to print; none when there is nothing to report.
    var lines: [String] { get }
}
