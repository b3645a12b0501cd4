#if os(Linux)
    import Foundation
    import Glibc

    /// The time as one loop sees it: looked at once for all events that came together.
    struct LoopClock {
        /// Milliseconds of a clock that only goes forward.
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
            // Some milliseconds late, and several times cheaper.
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
            date.update()
        }
    }
#endif
