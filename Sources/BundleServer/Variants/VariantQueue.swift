import BundleStore

/// What is to be made, in the order in which it is. A value type.
struct VariantQueue {
    /// One piece of work.
    enum Job {
        /// To make a form of a file.
        case make(VariantKey, Asset)
        /// To take note of what the store has now.
        case takeIn(StoreSnapshot)

        /// Whether it may take seconds.
        var isLong: Bool {
            switch self {
            case .make(_, let asset): asset.byteCount > 1 << 20
            case .takeIn: false
            }
        }
    }

    /// Who works: each on one job after the other.
    enum Lane: CaseIterable {
        /// On what answers wait for.
        case prompt
        /// On everything else.
        case background
    }

    /// Why something is made; what is further up comes first.
    enum Urgency: Int, CaseIterable {
        /// A response waits for it.
        case awaited
        /// It may be asked for soon: a difference, which is of use as long as clients have the version before.
        case expected
        /// It was asked for, and was sent in another form.
        case wanted

        var lane: Lane { self == .awaited ? .prompt : .background }
    }

    /// How many forms of each urgency may be waiting to be made; what is wanted beyond that has to be asked for again.
    static let maximumCount = 1_000
    /// How long it takes until a form that was tried to be made is tried again: one that came to nothing, and one that has
    /// gone because of the quota. What doesn't fit together isn't made all the time.
    static let retryInterval: Duration = .seconds(600)

    /// The newest state of the store that nobody has taken note of.
    private var snapshot: StoreSnapshot?
    private var jobs: [[Job]] = Urgency.allCases.map { _ in [] }
    /// What waits, or is under way.
    private var open: Set<VariantKey> = []
    /// When what is made, or can't be, was tried.
    private var done: [VariantKey: Duration] = [:]

    /// Whether a form is waiting to be made, or under way.
    func isOpen(_ key: VariantKey) -> Bool { open.contains(key) }

    /// Adds a form, unless it was tried shortly before, or there are too many. One that waits already comes earlier, if need
    /// be.
    ///
    /// - Parameter now: The time since any fixed moment.
    mutating func add(_ key: VariantKey, of asset: Asset, _ urgency: Urgency, at now: Duration) {
        if urgency == .awaited, open.contains(key) { advance(key) }
        if let triedAt = done[key], now - triedAt < Self.retryInterval { return }
        guard jobs[urgency.rawValue].count < Self.maximumCount, open.insert(key).inserted else { return }
        jobs[urgency.rawValue].append(.make(key, asset))
    }

    /// Lets a form that waits come first.
    private mutating func advance(_ key: VariantKey) {
        for urgency in [Urgency.expected, .wanted] {
            let index = jobs[urgency.rawValue].firstIndex { if case .make(key, _) = $0 { true } else { false } }
            if let index { jobs[Urgency.awaited.rawValue].append(jobs[urgency.rawValue].remove(at: index)) }
        }
    }

    /// Adds a state of the store, in place of one that waits: an older one would only keep what has been removed.
    mutating func add(_ snapshot: StoreSnapshot) { self.snapshot = snapshot }

    /// Whether there is a job for a lane.
    func hasJob(in lane: Lane) -> Bool { lane == .background && snapshot != nil || urgency(in: lane) != nil }

    /// Takes the first job of a lane; nil when there is none. What the store has now comes before what is made of it.
    mutating func next(in lane: Lane) -> Job? {
        if lane == .background, let snapshot = snapshot.take() { return .takeIn(snapshot) }
        return urgency(in: lane).map { jobs[$0.rawValue].removeFirst() }
    }

    private func urgency(in lane: Lane) -> Urgency? {
        Urgency.allCases.first { $0.lane == lane && !jobs[$0.rawValue].isEmpty }
    }

    /// Notes that a form that was taken isn't under way any more.
    ///
    /// - Parameters:
    ///   - again: Whether it may be asked for again at once.
    ///   - now: As above.
    mutating func finish(_ key: VariantKey, again: Bool, at now: Duration) {
        open.remove(key)
        if !again { done[key] = now }
    }

    /// Forgets what was tried, so that it is tried again when it is asked for.
    mutating func reconsider() { done = [:] }

    /// Drops everything that waits.
    mutating func removeAll() {
        snapshot = nil
        jobs = jobs.map { _ in [] }
        open = []
    }
}
