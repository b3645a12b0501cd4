/// The text of a progress bar.
enum ProgressLine {
    private static let barWidth = 24

    /// One line of less than `width` columns: label, bar, per cent, and the sizes if they fit.
    static func text(_ label: String, done: Int64, total: Int64, width: Int) -> String {
        let fraction = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 0
        let filled = Int(fraction * Double(barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let percent = "\(Int(fraction * 100))%"
        let parts = [label, "[\(bar)]", percent, "\(ByteCount.text(done)) of \(ByteCount.text(total))"]
        return String(parts.joined(separator: " ").prefix(max(0, width - 1)))
    }
}
