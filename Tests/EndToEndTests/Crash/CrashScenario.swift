import Testing

/// One command and the store that it works on.
struct CrashScenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether a feed is served.
    var needsFeed = false
    /// Whether another one takes nearly the same steps, so that only `scripts/crash-walk` walks this one.
    var isVariant = false
    /// Brings the store to the state before the command.
    let prepare: @Sendable (CrashSite) async throws -> Void
    /// The command, which turns the old state into a new one.
    let command: @Sendable (CrashSite) async throws -> [String]
    /// A command whose result is a valid state between the old and the new one.
    var halfway: (@Sendable (CrashSite) async throws -> [String])?

    var testDescription: String { name }
}
