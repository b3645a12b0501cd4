import Foundation

/// The keys of one verb's JSON document, as the table in README.md has them.
struct DocumentedKeys {
    /// Every key.
    let all: Set<String>
    /// The keys of every document that isn't empty.
    let required: Set<String>

    /// The table: the documents by verb.
    static func all() throws -> [String: DocumentedKeys] {
        let text = String(decoding: try Project.contents("README.md"), as: UTF8.self)
        let section = text.components(separatedBy: "## JSON output")[1].components(separatedBy: "\n## ")[0]
        var documents: [String: DocumentedKeys] = [:]
        for row in section.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|")
            let keys = DocumentedKeys(String(cells[1]))
            for match in String(cells[0]).matches(of: /`([^`]+)`/) { documents[String(match.output.1)] = keys }
        }
        return documents
    }

    private init(_ cell: String) {
        // Groups of values contain commas or words; groups of keys contain neither.
        let keys = cell.replacing(/\([^)]*[,:][^)]*\)|\((?!`)[^)]*\)/, with: "")
        all = Set(keys.matches(of: /`(\w+)`/).map { String($0.output.1) })
        // A key with a question mark may be missing, together with those in the group after it.
        let certain = keys.replacing(/`\w+`\?(?: \([^)]*\))?/, with: "")
        required = Set(certain.matches(of: /`(\w+)`/).map { String($0.output.1) })
    }
}
