import Foundation

/// One JSON document on standard output: keys sorted, dates in ISO 8601, keys without a value left out.
enum JSONDocument {
    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp.text(date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
