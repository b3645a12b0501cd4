import ArgumentParser

/// A quota on the command line: a size, or `none`.
enum QuotaArgument: Equatable {
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

    /// Reads an argument, and explains the format when it is invalid.
    static func parse(_ argument: String) throws -> QuotaArgument {
        guard let quota = QuotaArgument(argument: argument) else {
            throw ValidationError(
                "a quota is none, or a whole number above 0 with a unit (B, KB, MB, GB, TB): 500MB, 1500MB, 2GB"
            )
        }
        return quota
    }
}
