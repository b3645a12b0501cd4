/// One row of a table that several subjects, such as drivers, must conform to.
package struct ConformanceRow<Subject: Hashable & Sendable, Step: Sendable>: Sendable, CustomStringConvertible {
    /// What is different on a subject.
    package struct Exception: Sendable {
        /// Why.
        package let reason: String
        /// What the response is; nil when there is none, or the step can't be made.
        package let expectation: ConformanceExpectation?
    }

    package let description: String
    /// What is done, and what must follow.
    package private(set) var step: Step
    package private(set) var exceptions: [Subject: Exception] = [:]

    package init(_ description: String, _ step: Step) {
        (self.description, self.step) = (description, step)
    }

    /// The same row, with what is different on some subjects.
    package func except(
        _ subjects: [Subject],
        because reason: String,
        _ expectation: ConformanceExpectation? = nil
    ) -> Self {
        var row = self
        for subject in subjects { row.exceptions[subject] = Exception(reason: reason, expectation: expectation) }
        return row
    }

    /// The same row, with another step.
    package func with(_ change: (inout Step) -> Void) -> Self {
        var row = self
        change(&row.step)
        return row
    }
}
