import ArgumentParser
import BundleStore
import BundleUpdate

/// A size on the command line: a whole number and `B`, `KB`, `MB`, `GB` or `TB`, in powers of 1000, more than zero.
struct ByteCountArgument: ExpressibleByArgument, Equatable {
    private static let units: [(suffix: String, byteCount: Int64)] = [
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("B", 1),
    ]

    let byteCount: Int64

    init?(argument: String) {
        guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
            case let digits = argument.dropLast(unit.suffix.count), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(digits), count > 0,
            case let (byteCount, overflow) = count.multipliedReportingOverflow(by: unit.byteCount), !overflow
        else { return nil }
        self.byteCount = byteCount
    }
}

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

/// A duration on the command line: a whole number and `s`, `m`, `h` or `d`, at most 365 days.
struct DurationArgument: ExpressibleByArgument, Equatable {
    let duration: Duration

    /// In help texts.
    var defaultValueDescription: String { Self.text(duration) }

    /// A time in whole seconds, as it is given.
    static func text(_ duration: Duration) -> String { "\(duration.components.seconds)s" }

    init(seconds: Int64) {
        duration = .seconds(seconds)
    }

    init?(argument: String) {
        guard let seconds = DurationText.seconds(in: argument) else { return nil }
        self.init(seconds: seconds)
    }
}

/// The least time from one check of a feed to the next on the command line: as ``DurationArgument``, from 1 s to 7 days; or `none`.
struct PollArgument: ExpressibleByArgument, Equatable {
    /// Nil for `none`.
    let seconds: Int64?

    init?(argument: String) {
        guard argument != "none" else {
            seconds = nil
            return
        }
        guard let seconds = DurationText.seconds(in: argument), (1...Feed.maximumPoll).contains(seconds) else {
            return nil
        }
        self.seconds = seconds
    }
}
