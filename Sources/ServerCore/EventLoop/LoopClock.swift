#if os(Linux)
    import Foundation
    import Glibc

    /// A loop's clock, read once for all events that arrive together.
    struct LoopClock {
        /// Milliseconds of a monotonic clock.
        private(set) var milliseconds: Int64 = 0
        /// The value of `Date`.
        private(set) var date: DateClock
        /// Whole seconds of that clock.
        var second: UInt64 { UInt64(clamping: milliseconds / 1_000) }

        init(now: @escaping @Sendable () -> Date) {
            date = DateClock(now: now)
            update()
        }

        mutating func update() {
            var time = timespec()
            // A few milliseconds late, but several times cheaper.
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
            date.update()
        }
    }
#endif
