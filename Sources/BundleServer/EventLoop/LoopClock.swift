#if os(Linux)
    import BundleServing
    import Foundation
    import Glibc

    /// The time as one loop sees it: looked at once for all events that came together.
    struct LoopClock {
        /// Milliseconds of a clock that only goes forward.
        private(set) var milliseconds: Int64 = 0
        /// The value for `Date`, an IMF-fixdate.
        private(set) var date: [UInt8] = Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)
        /// Whole seconds of that clock.
        var second: UInt64 { UInt64(clamping: milliseconds / 1_000) }
        private var dateSecond: Int?
        private let now: @Sendable () -> Date

        init(now: @escaping @Sendable () -> Date) {
            self.now = now
            update()
        }

        mutating func update() {
            var time = timespec()
            // Some milliseconds late, and several times cheaper.
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
            guard let date = HTTPDate(now()), date.secondsSince1970 != dateSecond else { return }
            dateSecond = date.secondsSince1970
            self.date = Array(date.fieldValue.utf8)
        }
    }
#endif
