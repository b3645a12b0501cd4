import BundleTesting
import Foundation

/// The keys of one verb's JSON document, as JSONDocuments.md has them.
struct DocumentedKeys {
    /// Every key.
    let all: Set<String>
    /// The keys of every document that isn't empty.
    let required: Set<String>

    /// The documents by verb: the sections of the page, whose titles name the verbs.
    static func all() throws -> [String: DocumentedKeys] {
        let page = "Sources/bundlectl/bundlectl.docc/JSONDocuments.md"
        let text = String(decoding: try Project.contents(page), as: UTF8.self)
        var documents: [String: DocumentedKeys] = [:]
        for section in text.components(separatedBy: "\n### ").dropFirst() {
            let (title, body) = (section.prefix { $0 != "\n" }, section.drop { $0 != "\n" })
            let keys = DocumentedKeys(body.split(separator: "\n").joined(separator: " "))
            for verb in title.split(separator: ",") { documents[verb.trimmingCharacters(in: .whitespaces)] = keys }
        }
        return documents
    }

    private init(_ text: String) {
        // Groups of values contain commas or words; groups of keys contain neither.
        let keys = text.replacing(/\([^)]*[,:][^)]*\)|\((?!`)[^)]*\)/, with: "")
        all = Set(keys.matches(of: /`(\w+)`/).map { String($0.output.1) })
        // A key with a question mark may be missing, together with those in the group after it.
        let certain = keys.replacing(/`\w+`\?(?: \([^)]*\))?/, with: "")
        required = Set(certain.matches(of: /`(\w+)`/).map { String($0.output.1) })
    }
}
