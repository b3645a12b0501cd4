import BundleStore
import Foundation

/// How much is fetched ahead, and when again after a failure. A value type; safe to share between threads.
struct PrecacheLimits: Sendable {
    /// How many URLs of a release are fetched at once.
    var concurrency = 4
    /// One or two are usual.
    var redirects = 5
    /// How long one URL takes at most, with its redirects and their bodies.
    var perURL: Duration = .seconds(120)
    /// How many bytes are received for a release at a time. What is left waits for a day.
    var byteCount: Int64 = 256 << 20
    /// How often a URL is tried whose origin responds, but not with what can be stored.
    var refusalCount = 10

    /// When a URL is looked at again: what is stored may be evicted, and isn't fetched again at once.
    static let day: TimeInterval = 24 * 3_600

    /// The pause after attempts that failed one after the other, in seconds; nil when there is none to follow.
    ///
    /// - Parameters:
    ///   - count: The number of failures, at least 1.
    ///   - random: From 0 up to 1: devices that are switched on together don't ask at the same time.
    func pause(after count: Int, _ failure: PrecacheFailure, random: Double) -> TimeInterval? {
        let doublings = Double(1 << min(max(count - 1, 0), 16))
        let spread = 0.75 + 0.5 * random
        switch failure {
        case .unavailable: return min(30 * doublings, 3_600) * spread
        case .refused: return count < refusalCount ? min(600 * doublings, Self.day) * spread : nil
        case .postponed: return Self.day * spread
        }
    }
}

/// Why a URL wasn't fetched ahead. The texts are lines for a person.
enum PrecacheFailure: Error, Equatable {
    /// The origin didn't respond, or there was no time left for it.
    case unavailable(String)
    /// The origin's response, or a rule, prevents it.
    case refused(String)
    /// The bytes for a release are used up.
    case postponed(String)

    var text: String {
        switch self {
        case .unavailable(let text), .refused(let text), .postponed(let text): Printable.line(text)
        }
    }
}
