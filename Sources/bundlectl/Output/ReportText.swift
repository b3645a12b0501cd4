import BundleStore
import Foundation

/// Columns of text, each as wide as its widest cell, two spaces apart.
enum Table {
    /// A column: its heading, in capitals by convention, and what it has of each row.
    struct Column<Row> {
        fileprivate let heading: String
        fileprivate let isLeft: Bool
        fileprivate let cell: (Row) -> String

        /// Cells that begin at the column's left side.
        static func left(_ heading: String, _ cell: @escaping (Row) -> String) -> Column {
            Column(heading: heading, isLeft: true, cell: cell)
        }

        /// Cells that end at the column's right side.
        static func right(_ heading: String, _ cell: @escaping (Row) -> String) -> Column {
            Column(heading: heading, isLeft: false, cell: cell)
        }
    }

    /// The headings and the rows, without spaces at their ends.
    static func lines<Row>(of rows: [Row], _ columns: [Column<Row>]) -> [String] {
        let columns = columns.map { column in
            let cells = [column.heading] + rows.map(column.cell)
            let width = cells.map(width).max() ?? 0
            return cells.map { pad($0, to: width, isLeft: column.isLeft) }
        }
        return (0...rows.count).map { row in trimmed(columns.map { $0[row] }.joined(separator: "  ")) }
    }

    private static func trimmed(_ line: String) -> String {
        guard let end = line.utf8.lastIndex(where: { $0 != UInt8(ascii: " ") }) else { return "" }
        return String(line[...end])
    }

    /// The number of characters, which for most texts is that of their bytes.
    private static func width(of cell: String) -> Int {
        cell.utf8.allSatisfy { $0 < 0x80 } ? cell.utf8.count : cell.count
    }

    private static func pad(_ cell: String, to width: Int, isLeft: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - Self.width(of: cell)))
        return isLeft ? cell + padding : padding + cell
    }
}

/// Labelled values, one per line, with the values aligned.
enum KeyValueList {
    static func lines(_ pairs: [(String, String?)]) -> [String] {
        let width = pairs.filter { $0.1 != nil }.map(\.0.count).max() ?? 0
        return pairs.compactMap { label, value in
            value.map { "\(label)\(String(repeating: " ", count: width + 2 - label.count))\($0)" }
        }
    }
}

/// A number with its noun: `1 file`, `26 files`.
enum Quantity {
    static func text(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// Dates for display and for programs: ISO 8601 in UTC, to the second, so that lines from several machines compare.
enum Timestamp {
    static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }
}

/// What of a folder isn't packed, installed or served, in one line of text.
enum LeftOutNames {
    private static let shownCount = 5

    /// How many names were left out, and the first of them; nil for none.
    static func line(_ names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(shownCount).map(Printable.line).joined(separator: ", ")
        let rest = names.count > shownCount ? ", …" : ""
        return "left out \(Quantity.text(names.count, "name")), hidden or excluded: \(shown)\(rest)"
    }
}

/// The files that a feed no longer names, as its publisher sees them.
enum FileRemovals {
    static func lines(_ removed: [String]?, later: [String]?) -> [String] {
        (removed ?? []).map { "removed \(Printable.line($0))" }
            + (later ?? []).map { "\(Printable.line($0)) stays for a day, for those who have the feed before" }
    }
}
