/// How a release came into the store. A value type; safe to share between threads.
public struct DeliveryReport: Equatable, Sendable {
    /// The plan that succeeded.
    public let plan: PlanKind
    /// The bytes that it was expected to fetch, with the content list if that was read, and without what was there from an
    /// earlier attempt.
    public let predictedByteCount: Int64
    /// The bytes of content that arrived, of plans that failed too.
    public let receivedByteCount: Int64
    /// The plans that were tried before.
    public let failures: [PlanFailure]

    package init(
        plan: PlanKind,
        predictedByteCount: Int64,
        receivedByteCount: Int64,
        failures: [PlanFailure] = []
    ) {
        self.plan = plan
        self.predictedByteCount = predictedByteCount
        self.receivedByteCount = receivedByteCount
        self.failures = failures
    }
}
