import Foundation
import HTTPCore
import HTTPTypes

extension StoredResponse {
    /// The Age field for a response made from this one, replacing any that it has (RFC 9111 §4, §5.1).
    package func ageField(now: Date) -> HTTPField {
        HTTPField(name: .age, value: String(DeltaSeconds.whole(age(now: now))))
    }

    /// current_age in seconds (RFC 9111 §4.2.3); never negative, even when a clock was set back.
    func age(now: Date) -> TimeInterval {
        let apparentAge = max(0, responseTime.timeIntervalSince(date))
        let responseDelay = max(0, responseTime.timeIntervalSince(requestTime))
        let initialAge = max(apparentAge, ageValue + responseDelay)
        let residentTime = max(0, now.timeIntervalSince(responseTime))
        return initialAge + residentTime
    }

    /// Whether it is dated in the future, by this machine's clock when it was stored or by its origin's: one of them
    /// was wrong, and its age is unknown. Once the clock is right, it would otherwise stay fresh for as long as the
    /// clock had been ahead.
    func isAhead(of now: Date) -> Bool {
        max(responseTime, date).timeIntervalSince(now) > Self.clockTolerance
    }

    /// The tolerated difference between clocks in seconds, a usual value for protocols with time stamps (RFC 4120
    /// §1.6).
    private static let clockTolerance: TimeInterval = 300

    /// When the origin made the response; the time of arrival when the response doesn't say (RFC 9110 §6.6.1).
    var date: Date {
        fields.date(.date, receivedAt: responseTime) ?? responseTime
    }

    /// The first of several values counts, and one that isn't a number is ignored (RFC 9111 §5.1).
    private var ageValue: TimeInterval {
        TimeInterval(fields.listElements(of: .age).first.flatMap { DeltaSeconds.parse($0) } ?? 0)
    }
}
