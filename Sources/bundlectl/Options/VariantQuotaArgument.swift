import ArgumentParser

/// How much space compressed forms may take, on the command line: a size, or `off`.
enum VariantQuotaArgument: ExpressibleByArgument, Equatable {
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

    var defaultValueDescription: String {
        switch self {
        case .bytes(let count): "\(count / 1_000_000)MB"
        case .off: "off"
        }
    }

    /// The bound in bytes, or nil to make no forms.
    var byteCount: Int64? {
        switch self {
        case .bytes(let count): count
        case .off: nil
        }
    }
}
