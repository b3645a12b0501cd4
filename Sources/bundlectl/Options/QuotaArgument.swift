import ArgumentParser

/// A quota on the command line: a size, or `none`.
enum QuotaArgument: ExpressibleByArgument, Equatable {
    case bytes(Int64)
    case none

    init?(argument: String) {
        if argument == "none" {
            self = .none
        } else if let size = ByteCountArgument(argument: argument) {
            self = .bytes(size.byteCount)
        } else {
            return nil
        }
    }

    /// The bound in bytes, or nil for none.
    var byteCount: Int64? {
        switch self {
        case .bytes(let count): count
        case .none: nil
        }
    }
}
