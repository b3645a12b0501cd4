import BundleStore

/// How fast work goes on, over its last seconds. A value type.
struct ProgressRate {
    private static let span: Duration = .seconds(5)
    /// Less says too little.
    private static let leastSpan: Duration = .seconds(1)

    private var samples: [(time: Duration, done: Int64)] = []

    /// Adds what is done at a time since the start.
    mutating func add(_ done: Int64, at time: Duration) {
        samples.removeAll { time - $0.time > Self.span }
        samples.append((time, done))
    }

    /// In bytes per second; nil when it isn't known yet.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.leastSpan,
            last.done > first.done
        else { return nil }
        return Double(last.done - first.done) / ((last.time - first.time) / .seconds(1))
    }

    /// How long the rest takes at this rate; nil when that isn't known.
    func remaining(of progress: ByteProgress) -> Duration? {
        bytesPerSecond.map { .seconds(Double(progress.total - progress.done) / $0) }
    }
}
