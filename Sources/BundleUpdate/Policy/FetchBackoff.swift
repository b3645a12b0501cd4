import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// When what couldn't be fetched is asked for again by the clock: after a pause that doubles with each failure, or later if
/// its server says so. Pure.
///
/// The pauses are counted for each bundle, not for a host: another publisher's files there may be well.
enum FetchBackoff {
    /// How long the pauses are, in seconds.
    struct Pauses: Equatable {
        /// After the first failure.
        let first: TimeInterval
        /// The most.
        let longest: TimeInterval

        /// After no response, or another one than was asked for. A machine that was without a network isn't long without
        /// updates.
        static let unavailable = Pauses(first: 300, longest: 3_600)
        /// After a file that can't be used: each attempt costs its bytes.
        static let refused = Pauses(first: 3_600, longest: 86_400)
    }

    /// What follows from a failure.
    ///
    /// - Parameters:
    ///   - earlier: What followed from the one before; nil when there was none.
    ///   - pauses: How long the pauses are.
    ///   - requested: The least pause in seconds that the server asks for; nil when it asks for none.
    ///   - now: When it has failed.
    ///   - random: From 0 up to 1: machines that failed together don't return together.
    static func retry(
        after earlier: FetchRetry?,
        _ pauses: Pauses = .unavailable,
        requested: TimeInterval?,
        now: Date,
        random: Double
    ) -> FetchRetry {
        let count = min(earlier?.failureCount ?? 0, Int(Int32.max) - 1) + 1
        // More doublings than this exceed any pause.
        let longest = min(pauses.first * Double(1 << min(count - 1, 16)), pauses.longest)
        let pause = max(longest * (1 - random / 2), requested ?? 0)
        return FetchRetry(failureCount: count, failedAt: now, nextAt: now + pause)
    }

    /// When a feed that was received is asked for again by the clock, as its publisher wants it. The clocks of devices are up to a tenth of
    /// their interval early, see ``CheckPace``: one that has the publisher's interval isn't made to wait for two.
    ///
    /// - Parameters:
    ///   - poll: The least time in seconds from one check to the next.
    ///   - now: When it was received.
    static func wait(poll: Int64, now: Date) -> FetchRetry {
        FetchRetry(failureCount: 0, failedAt: now, nextAt: now + Double(poll) * CheckPace.earliest)
    }

    /// The pauses after a feed's failure; nil when the feed isn't valid, the program may not connect to its server, or it is a
    /// file, which costs nobody anything.
    static func pauses(afterFeed error: BundleError, at url: URL) -> Pauses? {
        FileURL(url) == nil && error.code == .networkUnavailable && !(error.cause is OriginDenial) ? .unavailable : nil
    }

    /// The pauses after the failure of a release's update; nil when a connection has broken, where the next update goes on,
    /// or the same archive isn't fetched again in any case.
    ///
    /// - Parameters:
    ///   - url: Where its archive is.
    ///   - hasReceived: Whether anything of the release has arrived.
    static func pauses(afterRelease error: BundleError, at url: URL, hasReceived: Bool) -> Pauses? {
        switch error.cause {
        case let refused as RefusedRelease: refused.isFinal ? nil : .refused
        case _ where FileURL(url) != nil: nil
        case is UnexpectedResponse, is TransferPace.Slowness: .unavailable
        case is OriginDenial: nil
        default: error.code == .networkUnavailable && !hasReceived ? .unavailable : nil
        }
    }

    /// The pauses after a failure of a file that the system has downloaded; nil when it lies with the store.
    static func pauses(afterDownload error: BundleError) -> Pauses? {
        switch error.code {
        case .invalidFeed: .refused
        case .networkUnavailable: .unavailable
        default: nil
        }
    }
}

/// Something of a bundle that is fetched. After a failure it waits for its time when a clock asks for it; a person who asks
/// gets it at once.
struct PacedFetch {
    let store: BundleStore
    /// The bundle.
    let name: BundleName
    let subject: FetchRetry.Subject
    /// Whether a clock asks.
    let isScheduled: Bool

    /// Runs `body`, and records what follows from its failure.
    ///
    /// - Parameters:
    ///   - postponement: The error to throw while it has to wait, which it does after a failure; a feed also because its publisher wants it.
    ///   - pauses: The pauses that follow from an error; nil for none.
    /// - Throws: What `body` throws, and `postponement`.
    func run<Success>(
        postponement: (FetchRetry) -> UpdatePostponement,
        pauses: (BundleError) -> FetchBackoff.Pauses?,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let retry = try? store.retry(of: name, subject)
        if isScheduled, let retry, retry.nextAt > store.now() { throw postponement(retry) }
        do {
            let result = try await body()
            if retry != nil { try? store.record(nil, of: name, subject) }
            return result
        } catch let error as BundleError {
            if let pauses = pauses(error) { record(error, pauses) }
            throw error
        }
    }

    /// Records what follows from a failure.
    func record(_ error: BundleError, _ pauses: FetchBackoff.Pauses) {
        let (head, now) = ((error.cause as? UnexpectedResponse)?.head, store.now())
        let next = FetchBackoff.retry(
            after: try? store.retry(of: name, subject),
            pauses,
            requested: head.flatMap { RetryAfter($0, now: now) }?.seconds,
            now: now,
            random: .random(in: 0..<1)
        )
        try? store.record(next, of: name, subject)
    }
}

/// The pause that a server asks for (RFC 9110 §10.2.3). A value type.
package struct RetryAfter: Equatable, Sendable {
    /// The longest pause in seconds that is kept to.
    static let longest: TimeInterval = 86_400

    /// In seconds, from 0 to ``longest``.
    package let seconds: TimeInterval

    /// Nil when a response asks for none: only errors do. A redirect is followed at once.
    ///
    /// - Parameter now: When it was received, for a date in a response that doesn't say when it was sent.
    package init?(_ head: HTTPResponse, now: Date) {
        guard head.status.code >= 400, let value = head.headerFields[values: .retryAfter].first else {
            return nil
        }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number of any length.
            seconds = min(Double(value) ?? Self.longest, Self.longest)
        } else if let date = HTTPDate(value, now: now)?.date {
            // Both by the server's clock: the one here may be wrong.
            let sent = head.headerFields.date(.date, receivedAt: now) ?? now
            seconds = min(max(date.timeIntervalSince(sent), 0), Self.longest)
        } else {
            return nil
        }
    }
}

/// When something is checked again by the clock. Devices that are switched on together, as after a power cut, drift apart, and
/// don't ask the same hosts at the same time for good. A value type; safe to share between threads.
package struct CheckPace: Sendable {
    /// The least part of the interval that passes from one check to the next.
    static let earliest = 0.9

    /// The mean time from one check to the next, more than zero.
    package let interval: Duration
    private let random: @Sendable (ClosedRange<Double>) -> Double

    /// - Parameters:
    ///   - interval: The mean time from one check to the next, more than zero.
    ///   - random: Gives a random number of a range.
    package init(
        every interval: Duration,
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) }
    ) {
        self.interval = interval
        self.random = random
    }

    /// The time until the first check: up to a tenth of the interval. Another one at each read.
    package var firstDelay: Duration { interval * random(0...0.1) }

    /// The time from one check to the next: the interval, and up to a tenth of it more or less. Another one at each read.
    package var delay: Duration { interval * random(Self.earliest...1.1) }
}
