import BundleStore

/// The catalog's database. Pure.
enum CatalogCheck {
    /// Longer than this, it is read slowly: a reader has kept it from being taken over for long.
    private static let longLogByteCount: Int64 = 64_000_000

    /// - Parameters:
    ///   - problems: What SQLite has found.
    ///   - logByteCount: The length of the write-ahead log in bytes.
    static func findings(_ problems: [String], logByteCount: Int64) -> [Finding] {
        guard problems.isEmpty else {
            let advice = "restore it from a copy, or move the folder away and install the bundles again"
            return [
                Finding(.error, .catalog, "the catalog is damaged: \(problems.joined(separator: "; "))", remedy: advice)
            ]
        }
        let size = ByteCount.text(logByteCount)
        guard logByteCount <= longLogByteCount else {
            let message = "the catalog's log has \(size): a program has been reading for long"
            return [Finding(.warning, .catalog, message, remedy: "restart the servers of this store")]
        }
        return [Finding(.ok, .catalog, "SQLite finds it sound, log of \(size)")]
    }
}
