import Foundation

/// What a responder has seen of an origin. A value type; safe to share between threads.
public struct OriginState: Sendable, Equatable {
    /// Whether the origin counts as out: the states of a circuit breaker.
    public enum Circuit: String, Sendable, Codable {
        /// It isn't out.
        case closed
        /// It is out, and isn't asked where something stored can take the place of its response.
        case open
        /// It is out, and is being asked whether it has returned.
        case halfOpen = "half-open"
    }

    /// Scheme, host and port: `https://m.example.com`.
    public let origin: String
    /// Whether it counts as out.
    public package(set) var circuit: Circuit
    /// Since when it has been out; nil unless it is. It isn't kept in the store.
    public package(set) var outSince: Date?
    /// When it is asked again; nil unless it is out.
    public package(set) var nextTry: Date?
    /// Why it didn't respond the last time that it didn't, in one line; nil when it always did.
    public package(set) var failure: String?
    /// When that was.
    public package(set) var failedAt: Date?
    /// When it responded last; nil when it never did.
    public package(set) var respondedAt: Date?
    /// The number of its responses, whatever their status.
    public package(set) var responseCount: Int
    /// The number of requests without a response.
    public package(set) var failureCount: Int
    /// The statuses of the last responses, and 0 for none; the latest last, at most ten.
    public package(set) var recent: [Int]

    /// The most elements of ``recent``.
    package static let maximumRecentCount = 10

    /// An origin of which nothing has been seen.
    package init(_ origin: String) {
        self.origin = origin
        circuit = .closed
        (responseCount, failureCount, recent) = (0, 0, [])
    }
}
