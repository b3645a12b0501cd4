import ArgumentParser

/// A number of bytes per second on the command line: a size, or `off`.
enum ByteRateArgument: ExpressibleByArgument, Equatable {
    case bytes(Int64)
    case off

    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else if let size = ByteCountArgument(argument: argument) {
            self = .bytes(size.byteCount)
        } else {
            return nil
        }
    }

    /// The number; nil for none.
    var byteCount: Int64? {
        switch self {
        case .bytes(let count): count
        case .off: nil
        }
    }
}
