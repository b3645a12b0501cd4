/// A line of the browser's console.
public struct ConsoleMessage: Hashable, Sendable {
    /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
    public let level: String
    /// The source: `console-api`, `javascript`, `network`, `security` and so on.
    public let source: String
    /// The text, usually with URL and position in front.
    public let text: String

    /// True for errors.
    public var isError: Bool { level == "SEVERE" }

    init?(_ entry: JSONValue) {
        guard let level = entry["level"]?.string, let text = entry["message"]?.string else { return nil }
        self.level = level
        self.text = text
        source = entry["source"]?.string ?? ""
    }
}
