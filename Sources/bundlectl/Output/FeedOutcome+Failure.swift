import BundleNetwork
import BundleStore

extension FeedOutcome {
    /// The error that affects this bundle alone; nil when there is none, or the update is only postponed.
    var failure: (any Error)? {
        guard case .failure(let error) = result, !(error is UpdatePostponement) else { return nil }
        return error
    }

    /// Whether it takes place later by itself.
    var isPostponed: Bool {
        if case .failure(is UpdatePostponement) = result { true } else { false }
    }

    /// Prints the error, if there is one.
    func reportFailure() {
        if let failure { Diagnostics.report("\(name): \(Advice.line(failure))") }
    }
}

extension Array {
    /// The error that determines the exit status: that of the first by name.
    func firstFailure<Success>() -> (any Error)? where Element == FeedOutcome<Success> {
        lazy.compactMap(\.failure).first
    }
}
