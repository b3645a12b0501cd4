import ArgumentParser

/// A duration on the command line: a whole number and `s`, `m`, `h` or `d`, at most 365 days.
struct DurationArgument: ExpressibleByArgument, Equatable {
    private static let maximumSeconds: Int64 = 365 * 86_400
    private static let seconds: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    let duration: Duration

    init(seconds: Int64) {
        duration = .seconds(seconds)
    }

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.seconds[$0] }),
            case let digits = argument.dropLast(), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(digits), count <= Self.maximumSeconds / unit
        else { return nil }
        duration = .seconds(count * unit)
    }
}
