import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

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
