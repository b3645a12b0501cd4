import Testing

/// One command and the store that it meets.
struct CrashScenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether a feed is served.
    var needsFeed = false
    /// Whether another one takes nearly the same steps, so that `scripts/crash-walk` alone walks this.
    var isVariant = false
    /// Brings the store to the state before the command.
    let prepare: @Sendable (CrashSite) async throws -> Void
    /// The command, which makes a new state of the old one.
    let command: @Sendable (CrashSite) async throws -> [String]
    /// A command that stops where the other one has a state between the old and the new one that is as good.
    var halfway: (@Sendable (CrashSite) async throws -> [String])?

    var testDescription: String { name }
}
