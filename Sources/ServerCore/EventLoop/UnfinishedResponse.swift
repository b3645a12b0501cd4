#if os(Linux)
    /// A response that is under way, on its way into a log.
    ///
    /// A class, so that looking whether there is one costs nothing.
    final class UnfinishedResponse {
        private let record: AccessRecord
        private let start: ContinuousClock.Instant

        /// - Parameters:
        ///   - record: Without what only the end tells.
        ///   - start: When the request was looked at.
        init(_ record: AccessRecord, since start: ContinuousClock.Instant) {
            self.record = record.owned
            self.start = start
        }

        /// The record of the response, which has ended.
        ///
        /// - Parameter byteCount: How much of the body was sent; nil when all of it was.
        func finished(byteCount: Int?) -> AccessRecord {
            var record = record
            if let byteCount { record.byteCount = byteCount }
            record.duration = start.duration(to: .now)
            return record
        }
    }
#endif
