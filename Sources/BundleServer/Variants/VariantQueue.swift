import BundleStore

/// What is to be made, in the order in which it is. A value type.
struct VariantQueue {
    /// One piece of work.
    enum Job {
        /// To make a form of a file.
        case make(VariantKey, Asset)
        /// To take note of what the store has now.
        case takeIn(StoreSnapshot)
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
        /// An answer waits for it.
        case awaited
        /// It was asked for, and was sent in another form.
        case wanted
        /// It may be asked for soon.
        case expected

        var lane: Lane { self == .awaited ? .prompt : .background }
    }

    /// How many forms of each urgency may be waiting to be made; what is wanted beyond that has to be asked for again.
    static let maximumCount = 1_000

    private var jobs: [[Job]] = Urgency.allCases.map { _ in [] }
    /// What waits, or is under way.
    private var open: Set<VariantKey> = []
    /// What is made, or can't be.
    private var done: Set<VariantKey> = []

    /// Whether a form is waiting to be made, or under way.
    func isOpen(_ key: VariantKey) -> Bool { open.contains(key) }

    /// Adds a form, unless it has been made, or there are too many. One that waits already comes earlier, if need be.
    mutating func add(_ key: VariantKey, of asset: Asset, _ urgency: Urgency) {
        if urgency == .awaited, open.contains(key) { advance(key) }
        guard jobs[urgency.rawValue].count < Self.maximumCount, !done.contains(key), open.insert(key).inserted else {
            return
        }
        jobs[urgency.rawValue].append(.make(key, asset))
    }

    /// Lets a form that waits come first.
    private mutating func advance(_ key: VariantKey) {
        for urgency in [Urgency.wanted, .expected] {
            let index = jobs[urgency.rawValue].firstIndex { if case .make(key, _) = $0 { true } else { false } }
            if let index { jobs[Urgency.awaited.rawValue].append(jobs[urgency.rawValue].remove(at: index)) }
        }
    }

    /// Adds a state of the store.
    mutating func add(_ snapshot: StoreSnapshot) { jobs[Urgency.wanted.rawValue].append(.takeIn(snapshot)) }

    /// Whether there is a job for a lane.
    func hasJob(in lane: Lane) -> Bool { urgency(in: lane) != nil }

    /// Takes the first job of a lane; nil when there is none.
    mutating func next(in lane: Lane) -> Job? {
        urgency(in: lane).map { jobs[$0.rawValue].removeFirst() }
    }

    private func urgency(in lane: Lane) -> Urgency? {
        Urgency.allCases.first { $0.lane == lane && !jobs[$0.rawValue].isEmpty }
    }

    /// Notes that a form that was taken isn't under way any more.
    ///
    /// - Parameter again: Whether it may be asked for again.
    mutating func finish(_ key: VariantKey, again: Bool) {
        open.remove(key)
        if !again { done.insert(key) }
    }

    /// Forgets what could not be made, so that it is tried again when it is asked for.
    mutating func reconsider() { done = [] }

    /// Drops everything that waits.
    mutating func removeAll() {
        jobs = jobs.map { _ in [] }
        open = []
    }
}
