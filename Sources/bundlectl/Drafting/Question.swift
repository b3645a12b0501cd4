import Foundation

/// Asks at a terminal; without one, nothing is asked and the proposals count.
struct Question {
    let isInteractive: Bool

    /// Asks by standard error, because standard output is the report's.
    ///
    /// - Parameters:
    ///   - text: What is asked for.
    ///   - proposal: What counts when nothing is entered.
    ///   - read: What an answer means; nil to ask again.
    /// - Returns: Nil when nothing is entered and nothing was proposed, or the input has ended.
    func callAsFunction<Answer>(
        _ text: String,
        proposing proposal: Answer?,
        as read: (String) -> Answer?
    ) -> Answer? {
        guard isInteractive else { return proposal }
        let hint = proposal.map { " [\($0)]" } ?? ""
        while true {
            try? StandardStreams.write("\(text)\(hint): ", to: STDERR_FILENO)
            guard let line = readLine()?.trimmingCharacters(in: .whitespaces), !line.isEmpty else { return proposal }
            if let answer = read(line) { return answer }
            try? StandardStreams.write("that can't be used; try again, or press Return for none\n", to: STDERR_FILENO)
        }
    }
}
