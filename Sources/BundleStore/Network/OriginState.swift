import Foundation

/// What an endpoint has seen of an origin. A value type; safe to share between threads.
package struct OriginState: Sendable, Equatable {
    /// Whether the origin counts as out: the states of a circuit breaker.
    package enum Circuit: String, Sendable, Codable {
        /// It isn't out.
        case closed
        /// It is out, and isn't asked where something stored can take the place of its response.
        case open
        /// It is out, and is being asked whether it has returned.
        case halfOpen = "half-open"
    }

    /// Scheme, host and port: `https://m.example.com`.
    package let origin: String
    /// Whether it counts as out.
    package var circuit: Circuit
    /// When it is asked again; nil unless it is out.
    package var nextTry: Date?
    /// Why it didn't respond the last time that it didn't, in one line.
    package var failure: String?
    /// When that was.
    package var failedAt: Date?
    /// When it responded last.
    package var respondedAt: Date?
    /// The number of its responses.
    package var responseCount: Int
    /// The number of requests without a response.
    package var failureCount: Int
    /// The statuses of the last responses, and 0 for none; the latest last.
    package var recent: [Int]

    /// The most elements of ``recent``.
    package static let maximumRecentCount = 10

    /// An origin of which nothing has been seen.
    package init(_ origin: String) {
        self.origin = origin
        circuit = .closed
        (responseCount, failureCount, recent) = (0, 0, [])
    }
}
