import BundleNetwork
import BundleStore
import BundleUpdate

/// What was found in a feed.
protocol FeedFinding {
    var check: UpdateCheck { get }
}

extension UpdateCheck: FeedFinding {
    var check: UpdateCheck { self }
}

extension UpdateResult: FeedFinding {}

extension FeedOutcome where Success: FeedFinding {
    /// The error that affects this bundle alone: the check or the update has failed, or the feed says what the operator has
    /// to know. Nil when there is none, or the update is only postponed.
    var failure: (any Error)? {
        switch result {
        case .success(let finding): finding.check.problem
        case .failure(let error): error is UpdatePostponement || error is RehearsedUpdate ? nil : error
        case nil: nil
        }
    }

    /// Prints the error, if there is one.
    func reportFailure() {
        guard let line = failure.map(Advice.line) else { return }
        // Some errors name the bundle themselves.
        Diagnostics.report(line.hasPrefix("bundle \(name) ") ? line : "\(name): \(line)")
    }
}

extension FeedOutcome {
    /// Prints why the update takes place later, if it does.
    func reportPostponement() {
        guard case .failure(let postponement as UpdatePostponement) = result else { return }
        let advice = if case .meteredLink = postponement { "; --on-metered always fetches it" } else { "" }
        Diagnostics.warn("\(name): \(postponement)\(advice)")
    }
}

extension Array {
    /// The error that determines the exit status: that of the first by name.
    func firstFailure<Success: FeedFinding>() -> (any Error)? where Element == FeedOutcome<Success> {
        lazy.compactMap(\.failure).first
    }
}
