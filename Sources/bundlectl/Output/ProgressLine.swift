import BundleStore

/// The text of a progress bar.
enum ProgressLine {
    private static let barWidth = 24

    /// One line of less than `width` columns: label, bar, per cent, and the sizes if they fit.
    static func text(_ label: String, _ progress: ByteProgress, width: Int) -> String {
        let filled = Int(progress.fraction * Double(barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let percent = "\(Int(progress.fraction * 100))%"
        let sizes = "\(ByteCount.text(progress.done)) of \(ByteCount.text(progress.total))"
        let parts = [label, "[\(bar)]", percent, sizes]
        return String(parts.joined(separator: " ").prefix(max(0, width - 1)))
    }
}
