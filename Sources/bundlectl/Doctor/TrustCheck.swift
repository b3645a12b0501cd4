import BundleStore
import BundleUpdate
import Foundation

/// The signatures on feeds: until when updates go on, and by which clock. Pure.
enum TrustCheck {
    /// - Parameters:
    ///   - count: How many feeds have to be signed.
    ///   - end: When updates of one of them end first; nil where nothing but roots was received.
    ///   - warnings: The signatures that should be made again.
    ///   - clock: By what they expire.
    static func findings(count: Int, until end: Date?, _ warnings: [TrustWarning], clock: TrustClock) -> [Finding] {
        let due = warnings.map { warning in
            Finding(warning.isExpired ? .error : .warning, .trust, warning.problem, remedy: warning.remedy)
        }
        return (due.isEmpty ? [summary(count, end)] : due) + timekeeping(clock)
    }

    private static func summary(_ count: Int, _ end: Date?) -> Finding {
        guard count > 0 else { return Finding(.ok, .trust, "no bundle's feed has to be signed") }
        let feeds = count == 1 ? "1 feed has" : "\(Quantity.text(count, "feed")) have"
        let life =
            end.map { ", and what was received is signed until \(Timestamp.text($0))" }
            ?? ", and nothing was received yet"
        return Finding(.ok, .trust, "\(feeds) to be signed\(life)")
    }

    /// An operator's choice isn't wrong, and what it costs should be known.
    private static func timekeeping(_ clock: TrustClock) -> [Finding] {
        guard clock == .absent else { return [] }
        return [
            Finding(
                .ok,
                .trust,
                "signatures expire \(TrustClockSummary.text(clock))",
                remedy: "“bundlectl trust clock machine” where the clock is right"
            )
        ]
    }
}
