/// What a verb has to say: a JSON document of a stable shape, and the same for people.
protocol Report: Encodable {
    /// The lines for people, safe to print; none when there is nothing to say.
    var lines: [String] { get }
}
