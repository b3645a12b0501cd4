import BundleTesting
import Foundation

/// One row of `OddArchives.md`.
struct OddArchiveRow: Hashable, Sendable {
    /// The kind of entry or archive.
    let name: String
    /// Whether it is refused rather than installed.
    let isRefused: Bool
    /// The parts of the message, or the installed paths: the text of the last column in code style.
    let words: Set<String>

    init(name: String, isRefused: Bool, words: Set<String>) {
        self.name = name
        self.isRefused = isRefused
        self.words = words
    }

    /// Parses a line of the document; nil when it isn't a row, or is a table's header.
    init?(line: Substring) {
        let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "| ")) }
        guard line.hasPrefix("| "), cells.count == 3, ["refused", "taken in"].contains(where: cells[1].hasPrefix) else {
            return nil
        }
        let parts = cells[2].split(separator: "`", omittingEmptySubsequences: false)
        self.init(
            name: cells[0],
            isRefused: cells[1] == "refused",
            words: Set(parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) })
        )
    }

    /// The rows of the document beside the sources.
    static func document() throws -> [OddArchiveRow] {
        let text = try Project.text("Sources/BundleInstall/BundleInstall.docc/OddArchives.md")
        return text.split(separator: "\n").compactMap(OddArchiveRow.init)
    }
}
