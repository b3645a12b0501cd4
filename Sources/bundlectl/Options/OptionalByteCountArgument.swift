import ArgumentParser

/// A size on the command line, as ``ByteCountArgument``; or `off` or `none`.
struct OptionalByteCountArgument: ExpressibleByArgument, Equatable {
    /// Nil for `off` and `none`.
    let byteCount: Int64?

    init(byteCount: Int64?) {
        self.byteCount = byteCount
    }

    init?(argument: String) {
        if ["off", "none"].contains(argument) {
            byteCount = nil
        } else if let size = ByteCountArgument(argument: argument) {
            byteCount = size.byteCount
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { byteCount.map { "\($0 / 1_000_000)MB" } ?? "off" }

    /// Reads an argument, and explains the format when it is invalid.
    static func parse(_ argument: String) throws -> OptionalByteCountArgument {
        guard let size = OptionalByteCountArgument(argument: argument) else {
            throw ValidationError(
                "a size is none, or a whole number above 0 with a unit (B, KB, MB, GB, TB): 500MB, 1500MB, 2GB"
            )
        }
        return size
    }
}
