import BundleStore
import Foundation

/// Whole, non-negative seconds as HTTP writes them (RFC 9111 §1.2.2).
enum DeltaSeconds {
    /// The value used for any that is too large to represent: 2³¹ seconds, 68 years.
    static let maximum = 2_147_483_648

    /// Returns nil unless `text` is one or more ASCII digits; at most ``maximum``.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var seconds = 0
        for byte in text.utf8 {
            guard ASCII.isDigit(byte) else { return nil }
            seconds = min(seconds * 10 + Int(byte - UInt8(ascii: "0")), maximum)
        }
        return seconds
    }

    /// `interval` rounded down, 0 when it is negative or not a number, at most ``maximum``.
    static func whole(_ interval: TimeInterval) -> Int {
        guard interval > 0 else { return 0 }
        return interval < TimeInterval(maximum) ? Int(interval) : maximum
    }
}
