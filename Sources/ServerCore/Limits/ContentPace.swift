import NIOCore

/// How long a client has taken for content that was wanted: a limit for each 64 KiB, so that a long upload isn't cut, and a
/// client that sends a byte now and then is. Pure.
struct ContentPace {
    private static let stepByteCount = 64 << 10

    private var waited = TimeAmount.zero
    private var byteCount = 0
    private var wantedSince: NIODeadline?

    /// Notes that content is wanted. The time during which it isn't doesn't count.
    mutating func want(at now: NIODeadline) {
        if wantedSince == nil { wantedSince = now }
    }

    /// Notes that this many bytes have come.
    mutating func take(_ count: Int, at now: NIODeadline) {
        if let wantedSince { waited = waited + (now - wantedSince) }
        wantedSince = nil
        byteCount += count
        if byteCount >= Self.stepByteCount { (waited, byteCount) = (.zero, 0) }
    }

    /// By when more has to come; nil while nothing is wanted.
    ///
    /// - Parameter limit: For each 64 KiB.
    func deadline(_ limit: TimeAmount) -> NIODeadline? { wantedSince.map { $0 + (limit - waited) } }
}
