/// Something that a test waited for didn't happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What was waited for.
    package let what: String
    /// The time limit.
    package let deadline: Duration

    /// One line for the test's report.
    package var description: String { "waited \(deadline) in vain for \(what)" }
}
