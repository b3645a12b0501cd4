import BundleStore
import HTTPCore
import HTTPTypes
import Synchronization

/// Sends requests again that got no response, and tells the breaker what became of each attempt.
///
/// Only requests are repeated whose repetition has the same effect (RFC 9110 §9.2.2), and that have no content: what was
/// read of it is gone. Not for an origin that is out, for one that may not be connected to, and for a client that has
/// left: its task is cancelled. Thread-safe.
struct RetryingTransport: OriginTransport {
    let transport: any OriginTransport
    let policy: RetryPolicy
    let breaker: OriginBreaker
    let clock: any Clock<Duration>
    /// From 0 up to 1.
    let random: @Sendable () -> Double

    func send(_ call: OriginCall) async throws -> OriginResponse {
        let origin = call.origin
        let (mayRepeat, elapsed, started) = (
            Self.mayRepeat(call) && !breaker.isOut(origin), clock.stopwatch(), Started()
        )
        var call = call
        if let onInterim = call.onInterim {
            call.onInterim = { head in
                started.flag.store(true, ordering: .relaxed)
                onInterim(head)
            }
        }
        var count = 0
        while true {
            do {
                let response = try await transport.send(call)
                breaker.note(.success(response.head), of: origin)
                return response
            } catch let error as BundleError where Self.isOfOrigin(error) {
                let pause = policy.pause(after: count, elapsed: elapsed(), random: random())
                guard mayRepeat, Self.mayPass(error), let pause, !started.flag.load(ordering: .relaxed),
                    !Task.isCancelled
                else {
                    if !Task.isCancelled { breaker.note(.failure(error), of: origin) }
                    throw error
                }
                try await clock.sleep(for: pause)
                count += 1
            }
        }
    }

    /// Whether the client has been sent something.
    private final class Started: Sendable {
        let flag = Atomic(false)
    }

    private static func isOfOrigin(_ error: BundleError) -> Bool {
        error.code == .networkUnavailable && !(error.cause is OriginDenial)
    }

    /// Whether an error may have passed when the request is sent again: not what the origin responds with, nor a certificate
    /// that is refused, about which a person may have been asked.
    private static func mayPass(_ error: BundleError) -> Bool {
        switch (error.cause as? any OriginFailureCause)?.originFailure {
        case .malformed, .expiredCertificate, .notYetValidCertificate, .certificateOfOtherName, .certificateOfOtherKey,
            .certificateOfUnknownIssuer:
            false
        default: true
        }
    }

    private static func mayRepeat(_ call: OriginCall) -> Bool {
        let methods: Set<HTTPRequest.Method> = [.get, .head, .options, .put, .delete]
        return call.content == nil && methods.contains(call.request.method) && !call.request.asksForWebSocket
    }
}

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
