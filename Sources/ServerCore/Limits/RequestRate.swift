import NIOCore

/// How many requests a connection has sent in this second.
struct RequestRate {
    private var second: UInt64 = 0
    private var requestCount = 0

    /// Counts a request. Returns whether it is within the rate.
    mutating func count(at now: NIODeadline, limit: Int) -> Bool {
        count(inSecond: now.uptimeNanoseconds / 1_000_000_000, limit: limit)
    }

    /// Counts a request in a second of any clock. Returns whether it is within the rate.
    mutating func count(inSecond now: UInt64, limit: Int) -> Bool {
        if now != second { (second, requestCount) = (now, 0) }
        requestCount += 1
        return requestCount <= limit
    }
}
