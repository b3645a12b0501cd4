/// When something is checked again by the clock. Devices that are switched on together, as after a power cut, drift apart, and
/// don't ask the same hosts at the same time for good. A value type; safe to share between threads.
package struct CheckPace: Sendable {
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
    package var delay: Duration { interval * random(0.9...1.1) }
}
