/// How far a piece of work has come, in bytes. A value type; safe to share between threads.
///
/// Every call that reports progress reports this type. Unless the call says otherwise, ``total`` stays the same and
/// ``done`` doesn't decrease.
public struct ByteProgress: Hashable, Sendable {
    /// The number of bytes that are done, `0...total`.
    public let done: Int64
    /// The number of bytes to do, 0 or more.
    public let total: Int64

    /// Numbers outside their ranges are clamped: a file may change while it is read.
    package init(done: Int64, total: Int64) {
        self.total = max(total, 0)
        self.done = min(max(done, 0), self.total)
    }

    /// The part that is done, `0...1`; 0 when there is nothing to do.
    public var fraction: Double { total > 0 ? Double(done) / Double(total) : 0 }

    /// The same work as the last part of longer work, of which `byteCount` bytes were done before it.
    package func following(_ byteCount: Int64) -> ByteProgress {
        ByteProgress(done: Self.sum(byteCount, done), total: Self.sum(byteCount, total))
    }

    /// The same work as the first part of longer work, of which `byteCount` bytes are to be done after it.
    package func preceding(_ byteCount: Int64) -> ByteProgress {
        ByteProgress(done: done, total: Self.sum(total, byteCount))
    }

    /// Two pieces of work as one.
    package static func + (first: ByteProgress, second: ByteProgress) -> ByteProgress {
        ByteProgress(done: sum(first.done, second.done), total: sum(first.total, second.total))
    }

    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }
}
