/// A plan that came to nothing, so that another one was taken. A value type; safe to share between threads.
public struct PlanFailure: Equatable, Sendable {
    /// The plan.
    public let plan: PlanKind
    /// Why, in words.
    public let reason: String
}
