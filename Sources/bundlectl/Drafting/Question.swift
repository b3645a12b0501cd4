import BundleStore
import Foundation

/// Asks at a terminal; without one, nothing is asked and the proposals count.
struct Question {
    let isInteractive: Bool

    /// Asks by standard error, because standard output is the report's.
    ///
    /// - Parameters:
    ///   - text: What is asked for.
    ///   - placeholder: What ``ArgumentForm`` calls the form that is wanted; nil when any text is accepted.
    ///   - proposal: What counts when nothing is entered.
    ///   - read: What an entry means; nil to ask again.
    /// - Returns: Nil when nothing is entered and nothing was proposed, or the input has ended.
    func callAsFunction<Value>(
        _ text: String,
        of placeholder: String? = nil,
        proposing proposal: Value?,
        as read: (String) -> Value?
    ) -> Value? {
        guard isInteractive else { return proposal }
        let hint = proposal.map { " [\($0)]" } ?? ""
        while true {
            try? StandardStreams.write("\(text)\(hint): ", to: STDERR_FILENO)
            guard let line = readLine()?.trimmingCharacters(in: .whitespaces), !line.isEmpty else { return proposal }
            if let value = read(line) { return value }
            let refusal = Self.refusal(of: line, as: placeholder, proposing: proposal.map { "\($0)" })
            try? StandardStreams.write("\(refusal)\n", to: STDERR_FILENO)
        }
    }

    /// What is said of an entry that isn't accepted.
    static func refusal(of entry: String, as placeholder: String?, proposing proposal: String?) -> String {
        let form = placeholder.flatMap(ArgumentForm.text).map { ": \($0)" } ?? ""
        return "“\(Printable.text(entry))” can't be used\(form); try again, or press Return for \(proposal ?? "none")"
    }
}
