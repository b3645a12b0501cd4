import ArgumentParser

/// How often something takes place, on the command line: a duration of at least a second, or `off`.
enum IntervalArgument: ExpressibleByArgument, Equatable {
    case every(DurationArgument)
    case off

    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else if let duration = DurationArgument(argument: argument), duration.duration > .zero {
            self = .every(duration)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .every(let interval): "\(interval.duration.components.seconds)s"
        case .off: "off"
        }
    }

    /// The time from one to the next; nil for never.
    var interval: Duration? {
        switch self {
        case .every(let interval): interval.duration
        case .off: nil
        }
    }
}
