/// The browser or its driver refused a command.
package struct WebDriverError: Error, CustomStringConvertible {
    /// The command, for example `POST /session/1/url`.
    package let command: String
    /// The driver's message.
    package let message: String

    /// One line for the test's report.
    package var description: String { "WebDriver \(command): \(message)" }
}
