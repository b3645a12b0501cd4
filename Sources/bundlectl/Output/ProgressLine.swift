import BundleStore

/// The text of a progress bar.
enum ProgressLine {
    private static let barWidth = 24

    /// One line of less than `width` columns: label, bar, per cent, and the rate and the remaining time if they are known
    /// and fit.
    static func text(_ label: String, _ progress: ByteProgress, _ rate: ProgressRate = ProgressRate(), width: Int)
        -> String
    {
        let filled = Int(progress.fraction * Double(barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let pace = [
            rate.bytesPerSecond.map { "\(ByteCount.text(Int64($0)))/s" }, rate.remaining(of: progress).map(remaining),
        ]
        let parts = [label, "[\(bar)]", "\(Int(progress.fraction * 100))%"] + pace.compactMap(\.self)
        return String(parts.joined(separator: " ").prefix(max(0, width - 1)))
    }

    private static func remaining(_ duration: Duration) -> String {
        switch duration.components.seconds {
        case ..<60: "\(duration.components.seconds + 1) s left"
        case ..<5_400: "\((duration.components.seconds + 59) / 60) min left"
        default: "\((duration.components.seconds + 3_599) / 3_600) h left"
        }
    }
}
