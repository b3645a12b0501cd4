import ArgumentParser
import BundleStore

/// A duration on the command line: a whole number and `s`, `m`, `h` or `d`, at most 365 days.
struct DurationArgument: ExpressibleByArgument, Equatable {
    let duration: Duration

    /// In help texts.
    var defaultValueDescription: String { "\(duration.components.seconds)s" }

    init(seconds: Int64) {
        duration = .seconds(seconds)
    }

    init?(argument: String) {
        guard let seconds = DurationText.seconds(in: argument) else { return nil }
        self.init(seconds: seconds)
    }
}
