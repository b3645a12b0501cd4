/// A line of the browser's console.
package struct ConsoleMessage: Hashable, Sendable {
    /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
    package let level: String
    /// The source: `console-api`, `javascript`, `network`, `security` and so on.
    package let source: String
    /// The text, usually with URL and position in front.
    package let text: String

    /// True for errors.
    package var isError: Bool { level == "SEVERE" }

    init?(_ entry: JSONValue) {
        guard let level = entry["level"]?.string, let text = entry["message"]?.string else { return nil }
        self.level = level
        self.text = text
        source = entry["source"]?.string ?? ""
    }
}
