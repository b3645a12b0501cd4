/// A duration as people write it: a whole number and `s`, `m`, `h` or `d`, at most 365 days.
package enum DurationText {
    private static let maximumSeconds: Int64 = 365 * 86_400
    private static let seconds: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    /// The number of seconds; nil for anything else.
    package static func seconds(in text: String) -> Int64? {
        guard let unit = text.last.flatMap({ seconds[$0] }),
            case let digits = text.dropLast(), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(digits), count <= maximumSeconds / unit
        else { return nil }
        return count * unit
    }

    /// The shortest text for a number of seconds, 0 or more.
    package static func text(_ count: Int64) -> String {
        let unit = seconds.filter { count % $0.value == 0 }.max { $0.value < $1.value }
        return unit.map { "\(count / $0.value)\($0.key)" } ?? "\(count)s"
    }
}

extension Clock<Duration> {
    /// A function that returns the time since this call.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }

    /// A function that returns when the given time has passed since this call; at once if it has.
    ///
    /// It throws `CancellationError` when the task is cancelled.
    package func alarm() -> @Sendable (Duration) async throws -> Void {
        let start = now
        return { time in try await self.sleep(until: start.advanced(by: time), tolerance: nil) }
    }
}
