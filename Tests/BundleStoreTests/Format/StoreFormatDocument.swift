import BundleStore
import BundleTesting
import Foundation
import Testing

/// The tables of StoreFormat.md, which define the layout of the files of a store.
struct StoreFormatDocument {
    /// A field of a header or an entry, from one row.
    struct Field {
        let offset: Int
        let byteCount: Int?
        let meaning: String
    }

    private let sections: [(title: String, tables: [[[String]]])]

    init() throws {
        let text = try Project.text("Sources/BundleStore/BundleStore.docc/StoreFormat.md")
        sections = text.components(separatedBy: "\n## ").dropFirst().map { section in
            let paragraphs = section.components(separatedBy: "\n\n")
            let tables = paragraphs.filter { $0.hasPrefix("|") }.map(Self.rows)
            return (String(section.prefix { $0 != "\n" }), tables)
        }
    }

    /// The cells below a table's header.
    private static func rows(of table: String) -> [[String]] {
        table.split(separator: "\n").dropFirst(2).map { line in
            line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func tables(of section: String) throws -> [[[String]]] {
        try #require(sections.first { $0.title.hasPrefix(section) }, "no section \(section)").tables
    }

    /// The fields of the table with this number in a section.
    func fields(_ section: String, table: Int = 0) throws -> [Field] {
        let tables = try tables(of: section)
        return try tables[table].map { row in
            Field(offset: try #require(Int(row[0])), byteCount: Int(row[1]), meaning: row[2])
        }
    }

    /// The whole title of the section that begins so.
    func title(_ section: String) throws -> String {
        try #require(sections.first { $0.title.hasPrefix(section) }).title
    }

    /// The columns of the catalog's tables.
    func columns() throws -> [String: Set<String>] {
        var columns: [String: Set<String>] = [:]
        var table = ""
        for row in try #require(tables(of: "Catalog").first) {
            if !row[0].isEmpty { table = row[0].trimmingCharacters(in: ["`"]) }
            for name in row[1].components(separatedBy: ", ") {
                columns[table, default: []].insert(name.trimmingCharacters(in: ["`"]))
            }
        }
        return columns
    }
}

extension [StoreFormatDocument.Field] {
    /// The field whose meaning begins with these words.
    func named(_ words: String) throws -> StoreFormatDocument.Field {
        try #require(first { $0.meaning.hasPrefix(words) }, "no field “\(words)”")
    }
}

extension StoreFormatDocument.Field {
    /// The constant value of the field: the number after its colon.
    func constant() throws -> Int {
        try #require(meaning.components(separatedBy: ": ").last.flatMap { Int($0) }, "no number in “\(meaning)”")
    }

    /// The constant bytes of the field: the hexadecimal digits between its last quotes.
    func bytes() throws -> [UInt8] {
        let digits = try #require(meaning.components(separatedBy: "`").dropLast().last)
        return try digits.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
    }
}
