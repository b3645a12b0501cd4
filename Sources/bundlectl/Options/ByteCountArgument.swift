import ArgumentParser

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
