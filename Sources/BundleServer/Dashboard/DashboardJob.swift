/// A check or an update that an operator has begun on the dashboard, and that is under way.
struct DashboardJob: Encodable, Equatable, Sendable {
    /// Which of them.
    let kind: DashboardJobKind
    /// How much is done, in hundredths; nil while that isn't known.
    var percentage: Int?
}

/// What a check or an update has come to.
struct DashboardOutcome: Encodable, Equatable, Sendable {
    /// Counts the outcomes since the server's start.
    let number: Int
    /// A sentence for a person.
    let text: String
    let isFailure: Bool
}
