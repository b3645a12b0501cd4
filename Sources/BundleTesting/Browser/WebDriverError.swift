/// The browser or its driver refused a command.
public struct WebDriverError: Error, CustomStringConvertible {
    /// The command, for example `POST /session/1/url`.
    public let command: String
    /// The driver's message.
    public let message: String

    /// One line for the test's report.
    public var description: String { "WebDriver \(command): \(message)" }
}
