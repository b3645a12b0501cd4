import BundleStore

/// A folder in which names have a hash of the content.
struct HashedFolder: Encodable {
    private static let shownCount = 5

    /// Its path in the bundle.
    let folder: String
    /// The number of these files in the folder itself.
    let fileCount: Int

    /// What becomes of the files, in one line; nil when there is no such folder.
    static func line(_ folders: [HashedFolder]) -> String? {
        guard !folders.isEmpty else { return nil }
        let shown = folders.prefix(shownCount).map {
            "\(Printable.line($0.folder)) (\(Quantity.text($0.fileCount, "file")))"
        }
        let rest = folders.count > shownCount ? ", …" : ""
        return "names with a hash in \(shown.joined(separator: ", "))\(rest): browsers keep these files for a year; "
            + "\"immutable\" in the manifest decides otherwise"
    }
}
