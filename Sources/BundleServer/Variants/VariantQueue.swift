import BundleNetwork
import BundleStore
import HTTPCore

/// The forms to be made, in order. A value type.
struct VariantQueue {
    /// One piece of work.
    enum Job {
        /// Make a form of a file.
        case make(VariantKey, Asset)
        /// Take the store's new state.
        case takeIn(StoreSnapshot)

        /// Whether it may take seconds.
        var isLong: Bool {
            switch self {
            case .make(_, let asset): asset.byteCount > 1 << 20
            case .takeIn: false
            }
        }
    }

    /// Why a form is made; earlier cases take precedence.
    enum Urgency: Int, CaseIterable {
        /// A response waits for it.
        case awaited
        /// It may be requested soon: a delta, which is useful while clients have the version before.
        case expected
        /// It was requested, and the file was sent in another form.
        case wanted

        /// Of the thread that makes it. Each does one job after the other: the prompt one makes the forms that responses wait
        /// for, the other does everything else.
        var priority: WorkThread.Priority { self == .awaited ? .prompt : .background }
    }

    /// How many forms of each urgency may wait; further ones must be requested again.
    static let maximumCount = 1_000
    /// How long until a form is tried again, whether it couldn't be made or was removed because of the quota. So forms
    /// that don't all fit aren't made continuously.
    static let retryInterval: Duration = .seconds(600)

    /// The newest state of the store that hasn't been taken yet.
    private var snapshot: StoreSnapshot?
    private var jobs: [[Job]] = Urgency.allCases.map { _ in [] }
    /// The forms that wait or are in progress.
    private var open: Set<VariantKey> = []
    /// When each form that was made, or can't be, was tried.
    private var done: [VariantKey: Duration] = [:]

    /// Whether a form waits to be made, or is in progress.
    func isOpen(_ key: VariantKey) -> Bool { open.contains(key) }

    /// Adds a form, unless it was tried recently, or there are too many. One that is already waiting is moved up if
    /// necessary.
    ///
    /// - Parameter now: The time since any fixed moment.
    mutating func add(_ key: VariantKey, of asset: Asset, _ urgency: Urgency, at now: Duration) {
        if urgency == .awaited, open.contains(key) { advance(key) }
        if let triedAt = done[key], now - triedAt < Self.retryInterval { return }
        guard jobs[urgency.rawValue].count < Self.maximumCount, open.insert(key).inserted else { return }
        jobs[urgency.rawValue].append(.make(key, asset))
    }

    /// Moves a waiting form to the front.
    private mutating func advance(_ key: VariantKey) {
        for urgency in [Urgency.expected, .wanted] {
            let index = jobs[urgency.rawValue].firstIndex { if case .make(key, _) = $0 { true } else { false } }
            if let index { jobs[Urgency.awaited.rawValue].append(jobs[urgency.rawValue].remove(at: index)) }
        }
    }

    /// Adds a state of the store, in place of a waiting one: an older one would only keep what has been removed.
    mutating func add(_ snapshot: StoreSnapshot) { self.snapshot = snapshot }

    /// Whether there is a job of a priority.
    func hasJob(of priority: WorkThread.Priority) -> Bool {
        priority == .background && snapshot != nil || urgency(of: priority) != nil
    }

    /// Takes the first job of a priority; nil when there is none. The store's state comes before the forms.
    mutating func next(of priority: WorkThread.Priority) -> Job? {
        if priority == .background, let snapshot = snapshot.take() { return .takeIn(snapshot) }
        return urgency(of: priority).map { jobs[$0.rawValue].removeFirst() }
    }

    private func urgency(of priority: WorkThread.Priority) -> Urgency? {
        Urgency.allCases.first { $0.priority == priority && !jobs[$0.rawValue].isEmpty }
    }

    /// Records that a form is no longer in progress.
    ///
    /// - Parameters:
    ///   - again: Whether it may be requested again immediately.
    ///   - now: As above.
    mutating func finish(_ key: VariantKey, again: Bool, at now: Duration) {
        open.remove(key)
        if !again { done[key] = now }
    }

    /// Forgets what was tried, so that it is tried again when it is requested.
    mutating func reconsider() { done = [:] }

    /// Drops everything that waits.
    mutating func removeAll() {
        snapshot = nil
        jobs = jobs.map { _ in [] }
        open = []
    }
}
