/// How often, and after which pauses, a request is sent again that got no response. A value type; safe to share between
/// threads.
public struct RetryPolicy: Sendable, Hashable {
    /// How many times at most a request is sent again; 0 for never. Default: 2.
    public var maximumCount = 2
    /// The longest pause before the first repetition; it doubles with each further one. Each pause is a random part of
    /// it, so that clients that failed together don't return together (AWS Architecture Blog, “Exponential Backoff And
    /// Jitter”). Default: 0.2 s.
    public var firstPause: Duration = .milliseconds(200)
    /// The longest pause. Default: 2 s.
    public var longestPause: Duration = .seconds(2)
    /// No repetition begins later than this after the request's first attempt began. Default: 5 s.
    public var total: Duration = .seconds(5)

    /// The default values.
    public init() {}

    /// No repetitions.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.maximumCount = 0
        return policy
    }()

    /// The pause before a repetition; nil when there is none.
    ///
    /// - Parameters:
    ///   - count: How many repetitions there were.
    ///   - elapsed: The time since the first attempt began.
    ///   - random: From 0 up to 1.
    func pause(after count: Int, elapsed: Duration, random: Double) -> Duration? {
        guard count < maximumCount else { return nil }
        // More doublings than this exceed any pause.
        let ceiling = min(firstPause * Double(1 << min(count, 16)), longestPause)
        let pause = ceiling * min(max(random, 0), 1)
        return elapsed + pause <= total ? pause : nil
    }
}
