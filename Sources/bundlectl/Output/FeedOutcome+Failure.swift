import BundleNetwork
import BundleStore

extension FeedOutcome {
    /// The error that affects this bundle alone; nil when there is none, or the update is only postponed.
    var failure: (any Error)? {
        guard case .failure(let error) = result, !(error is UpdatePostponement) else { return nil }
        return error
    }

    /// Prints the error, if there is one.
    func reportFailure() {
        if let failure { Diagnostics.report("\(name): \(Advice.line(failure))") }
    }

    /// Prints why the update takes place later, if it does.
    func reportPostponement() {
        guard case .failure(let postponement as UpdatePostponement) = result else { return }
        let advice = if case .meteredLink = postponement { "; --on-metered always fetches it" } else { "" }
        Diagnostics.warn("\(name): \(postponement)\(advice)")
    }
}

extension Array {
    /// The error that determines the exit status: that of the first by name.
    func firstFailure<Success>() -> (any Error)? where Element == FeedOutcome<Success> {
        lazy.compactMap(\.failure).first
    }
}
