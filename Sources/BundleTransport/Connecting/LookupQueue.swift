/// Which host name is looked up next, and how many at a time. A value type.
///
/// A name whose last look-up took long gets only a few of the threads, and comes after the other names. So a name
/// server that doesn't respond keeps a thread from them at most once for each of its names, for as long as the system's
/// resolver takes. Among the slow names, the one with the oldest last look-up comes first, so that each gets its turn.
struct LookupQueue {
    /// The maximum number of look-ups at a time.
    static let maximumRunningCount = 8
    /// The maximum number of these for slow names.
    static let maximumSlowCount = 2
    /// The maximum number of waiting names, for slow ones and for others each.
    static let maximumWaitingCount = 64
    /// A look-up that takes this long makes its name a slow one, until a shorter look-up.
    static let slowDuration: Duration = .seconds(1)
    /// The maximum number of slow names remembered.
    static let maximumRememberedCount = 1_024

    /// In the order of arrival.
    private var waiting: [String] = []
    /// When the look-ups began.
    private var running: [String: Duration] = [:]
    /// The slow names, and when their last look-ups ended.
    private var slow: [String: Duration] = [:]

    /// Adds a name, unless it is already waiting or being looked up. Returns false when too many others wait.
    mutating func add(_ name: String) -> Bool {
        if running[name] != nil || waiting.contains(name) { return true }
        let count = waiting.count { isSlow($0) == isSlow(name) }
        guard count < Self.maximumWaitingCount else { return false }
        waiting.append(name)
        return true
    }

    /// Removes a waiting name.
    mutating func remove(_ name: String) { waiting.removeAll { $0 == name } }

    /// Takes the name to look up next; nil when none may be looked up now. Each look-up that ends makes room for one
    /// other.
    ///
    /// - Parameter now: The time since any fixed moment.
    mutating func next(at now: Duration) -> String? {
        guard running.count < Self.maximumRunningCount, let name = waiting.first(where: { !isSlow($0) }) ?? nextSlow
        else { return nil }
        remove(name)
        running[name] = now
        return name
    }

    /// Records that the look-up of a name has ended.
    ///
    /// - Parameter now: As in ``next(at:)``.
    mutating func finish(_ name: String, at now: Duration) {
        guard let start = running.removeValue(forKey: name) else { return }
        slow[name] = now - start < Self.slowDuration ? nil : now
        if slow.count > Self.maximumRememberedCount { forgetOne() }
    }

    private func isSlow(_ name: String) -> Bool { slow[name] != nil }

    private var nextSlow: String? {
        guard running.keys.count(where: isSlow) < Self.maximumSlowCount else { return nil }
        return waiting.filter(isSlow).min { slow[$0, default: .zero] < slow[$1, default: .zero] }
    }

    private mutating func forgetOne() {
        // A waiting name must stay: otherwise its look-up would become possible without anything starting it.
        let oldest = slow.filter { !waiting.contains($0.key) }.min { $0.value < $1.value }
        if let oldest { slow[oldest.key] = nil }
    }
}
