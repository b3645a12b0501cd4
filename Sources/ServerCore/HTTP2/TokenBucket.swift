import NIOCore

/// Allows a number of events in a row, and a number per second after that. Pure.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let tokensPerSecond: Double
    private var tokens: Double
    private var filledAt: NIODeadline?

    /// A full bucket. Both numbers must be more than zero.
    init(capacity: Int, tokensPerSecond: Int) {
        self.capacity = Double(capacity)
        self.tokensPerSecond = Double(tokensPerSecond)
        tokens = Double(capacity)
    }

    /// Takes one token. Returns false when there is none.
    mutating func take(at now: NIODeadline) -> Bool {
        if let filledAt, now > filledAt {
            let seconds = Double((now - filledAt).nanoseconds) / 1e9
            tokens = min(capacity, tokens + seconds * tokensPerSecond)
        }
        filledAt = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
