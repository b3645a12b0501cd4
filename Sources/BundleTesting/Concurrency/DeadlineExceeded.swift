/// Something that a test waited for didn't happen in time.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What was waited for.
    public let what: String
    /// The time limit.
    public let deadline: Duration

    /// One line for the test's report.
    public var description: String { "waited \(deadline) in vain for \(what)" }
}
