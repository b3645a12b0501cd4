/// How long a response may be sent again as it is: until a time, unless it is revoked before. A value type; safe to share
/// between threads.
public struct ResponseValidity: Sendable {
    /// The response isn't sent again from this time on.
    public let end: ContinuousClock.Instant
    /// Revoked when the response has been replaced or removed.
    public let revocation: any Revocable

    /// Creates a validity.
    ///
    /// - Parameters:
    ///   - end: Not later than the next change of a field of the response, such as `Age`.
    ///   - revocation: Says when the response has been replaced or removed.
    public init(until end: ContinuousClock.Instant, _ revocation: any Revocable) {
        self.end = end
        self.revocation = revocation
    }

    /// Whether the response may be sent.
    public var isCurrent: Bool { !revocation.isRevoked && ContinuousClock.now < end }
}
