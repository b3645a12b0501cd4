/// Sizes for display, in powers of 1000 (SI): `512 B`, `8.6 MB`, `511 MB`.
enum ByteCount {
    static func text(_ count: Int64) -> String {
        guard count >= 1_000 else { return "\(count) B" }
        var unit: Int64 = 1_000
        for name in ["KB", "MB", "GB", "TB", "PB"] {
            if let number = number(count, in: unit) { return "\(number) \(name)" }
            unit *= 1_000
        }
        return "\(count / unit) EB"
    }

    /// One decimal below ten, otherwise none, or nil when it would take four digits.
    private static func number(_ count: Int64, in unit: Int64) -> String? {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: unit)
        // Comparing before rounding would turn 9.96 into “10.0”.
        let tenths = whole * 10 + (rest / (unit / 1_000) + 50) / 100
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10)" }
        let rounded = whole + (rest / (unit / 1_000) + 500) / 1_000
        return rounded < 1_000 ? "\(rounded)" : nil
    }
}
