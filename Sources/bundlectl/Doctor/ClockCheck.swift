import Foundation

/// This machine's clock. Pure.
enum ClockCheck {
    /// Servers' clocks differ by less, and certificates and caches bear it.
    private static let tolerance: TimeInterval = 300
    private static let remedy = "set the clock: “timedatectl set-ntp true”"

    /// - Parameters:
    ///   - offsets: By how many seconds this clock was ahead of each server that was asked, by its host.
    ///   - newest: When something was installed last, by this clock at that time.
    ///   - build: When this program was made.
    static func findings(now: Date, offsets: [(host: String, seconds: TimeInterval)], newest: Date?, build: Date?)
        -> [Finding]
    {
        if let build, now < build - 86_400 {
            return [Finding(.error, .clock, "\(Timestamp.text(now)) is before this program was made", remedy: remedy)]
        }
        if let newest, now < newest - tolerance {
            let message = "\(Timestamp.text(now)) is before the last installation, \(Timestamp.text(newest))"
            return [Finding(.error, .clock, message, remedy: remedy)]
        }
        // One server alone may be wrong itself.
        let middle = offsets.sorted { abs($0.seconds) < abs($1.seconds) }.dropFirst(offsets.count / 2).first
        guard let middle else { return [Finding(.ok, .clock, "\(Timestamp.text(now)); no server was asked")] }
        guard abs(middle.seconds) > tolerance else {
            return [Finding(.ok, .clock, "\(Timestamp.text(now)), as \(middle.host) says")]
        }
        let side = middle.seconds > 0 ? "ahead of" : "behind"
        let message = "\(Timestamp.text(now)) is \(Int(abs(middle.seconds))) s \(side) the clock of \(middle.host)"
        return [Finding(abs(middle.seconds) > 86_400 ? .error : .warning, .clock, message, remedy: remedy)]
    }
}
