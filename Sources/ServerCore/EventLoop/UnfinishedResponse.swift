#if os(Linux)
    /// A response under way that is recorded when it ends.
    ///
    /// A class, so that checking whether there is one costs nothing.
    final class UnfinishedResponse {
        private let record: AccessRecord
        private let start: ContinuousClock.Instant

        /// - Parameters:
        ///   - record: The record without the final values.
        ///   - start: When the request was scanned.
        init(_ record: AccessRecord, since start: ContinuousClock.Instant) {
            self.record = record.owned
            self.start = start
        }

        /// The record of the response, which has ended.
        ///
        /// - Parameter byteCount: The number of body bytes sent; nil for all.
        func finished(byteCount: Int?) -> AccessRecord {
            var record = record
            if let byteCount { record.byteCount = byteCount }
            record.duration = start.duration(to: .now)
            return record
        }
    }
#endif
