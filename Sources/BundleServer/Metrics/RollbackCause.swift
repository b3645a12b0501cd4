import BundleStore

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
