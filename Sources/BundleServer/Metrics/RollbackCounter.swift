import BundleStore
import Synchronization

/// Counts the rollbacks since it was made, by the journal, which tells those of other processes too. Thread-safe; waits for the
/// disk.
final class RollbackCounter: Sendable {
    private struct State {
        /// The number of the last event that was counted.
        var last: Int64
        var counts: [BundleName: [RollbackCause: UInt64]] = [:]
    }

    private let store: BundleStore
    private let state: Mutex<State>

    init(_ store: BundleStore) {
        self.store = store
        state = Mutex(State(last: (try? store.lastEventNumber()) ?? 0))
    }

    /// What was counted up to now, for each installed bundle.
    func counts() -> RollbackCounts {
        let names = store.snapshot.sortedBundles.map(\.name)
        return state.withLock { state in
            count(&state)
            state.counts = state.counts.filter { names.contains($0.key) }
            return RollbackCounts(names.map { ($0, state.counts[$0] ?? [:]) })
        }
    }

    /// Counts what is new in the journal. Nothing is lost when that can't be read now.
    private func count(_ state: inout State) {
        guard let last = try? store.lastEventNumber(), last != state.last,
            // A journal that was lost, and begun again, has lower numbers.
            let events = try? store.events(after: min(last, state.last))
        else { return }
        for (name, cause) in RollbackCause.rollbacks(among: events) {
            state.counts[name, default: [:]][cause, default: 0] += 1
        }
        state.last = events.last?.number ?? last
    }
}

/// How many rollbacks there were of each bundle. A value type.
struct RollbackCounts: Sendable {
    private let counts: [(name: BundleName, byCause: [RollbackCause: UInt64])]

    fileprivate init(_ counts: [(name: BundleName, byCause: [RollbackCause: UInt64])]) {
        self.counts = counts
    }

    /// Writes a counter for each bundle and cause, also those that are 0: an increase is seen only from a value.
    func write(to text: inout PrometheusText) {
        text.counter("bundlectl_rollbacks_total", "Rollbacks since the start of the process, by their cause.")
        for (name, byCause) in counts {
            for cause in RollbackCause.allCases {
                text.sample([("bundle", name.string), ("cause", cause.rawValue)], byCause[cause] ?? 0)
            }
        }
    }
}

/// Why an earlier release has become active again, as the journal tells it.
enum RollbackCause: String, CaseIterable, Sendable {
    /// The release that was left wasn't confirmed within the time, or in the starts, that its manifest gives it.
    case unconfirmedTime = "not_confirmed_in_time"
    case unconfirmedStarts = "not_confirmed_in_starts"
    /// A person, a shell or an app has marked it bad.
    case markedBad = "marked_bad"
    /// A person or an app has asked for the earlier release.
    case request = "requested"

    /// - Parameter verdict: What the journal says of the release that was left; nil when it wasn't marked bad.
    private init(_ verdict: UpdateEvent?) {
        switch verdict.map({ ProbationFailure(reason: $0.detail ?? "") }) {
        case .time: self = .unconfirmedTime
        case .starts: self = .unconfirmedStarts
        case .some(nil): self = .markedBad
        case nil: self = .request
        }
    }

    /// The rollbacks among events.
    ///
    /// - Parameter events: In their order.
    static func rollbacks(among events: [UpdateEvent]) -> [(name: BundleName, cause: RollbackCause)] {
        zip([nil] + events, events).compactMap { before, event in
            guard event.kind == .rolledBack else { return nil }
            // A verdict and the rollback that it leads to are recorded in one transaction.
            let verdict = before.flatMap { $0.leads(to: event) ? $0 : nil }
            return (event.bundle, RollbackCause(verdict))
        }
    }
}

extension UpdateEvent {
    fileprivate func leads(to rollback: UpdateEvent) -> Bool {
        kind == .markedBad && bundle == rollback.bundle && number + 1 == rollback.number
            && version?.string == rollback.previous?.string
    }
}
