/// Columns of text, each as wide as its widest cell, two spaces apart.
struct Table {
    /// The side at which a column's cells are aligned.
    enum Alignment {
        case left, right
    }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// - Parameter columns: The headings, in capitals by convention.
    init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
    }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// The lines, without spaces at their ends.
    var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { Self.width(of: $0[column]) }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { Self.pad(row[$0], to: widths[$0], alignments[$0]) }
            return Self.trimmed(cells.joined(separator: "  "))
        }
    }

    private static func trimmed(_ line: String) -> String {
        guard let end = line.utf8.lastIndex(where: { $0 != UInt8(ascii: " ") }) else { return "" }
        return String(line[...end])
    }

    /// The number of characters, which for most texts is that of their bytes.
    private static func width(of cell: String) -> Int {
        cell.utf8.allSatisfy { $0 < 0x80 } ? cell.utf8.count : cell.count
    }

    private static func pad(_ cell: String, to width: Int, _ alignment: Alignment) -> String {
        let padding = String(repeating: " ", count: max(0, width - Self.width(of: cell)))
        return alignment == .left ? cell + padding : padding + cell
    }
}
