import BundleNetwork

extension FeedOutcome {
    /// The error that affects this bundle alone; nil when there is none.
    var failure: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
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
