import BundleStore

/// What interrupted work has left. Pure.
enum LeftoverCheck {
    /// What is kept that a download can go on from: no problem until it takes this much.
    private static let noticedByteCount: Int64 = 100_000_000

    static func findings(byteCount: Int64, abandonedByteCount: Int64) -> [Finding] {
        guard abandonedByteCount > 0 else {
            let use = byteCount == 0 ? "none" : "none; \(ByteCount.text(byteCount)) are being written or downloaded"
            return [Finding(.ok, .leftovers, use)]
        }
        return [
            Finding(
                abandonedByteCount < noticedByteCount ? .ok : .warning,
                .leftovers,
                "\(ByteCount.text(abandonedByteCount)) of interrupted installs and downloads, which the next ones go on from",
                remedy: "“bundlectl prune” removes what is old"
            )
        ]
    }
}
