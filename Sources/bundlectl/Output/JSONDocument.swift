import Foundation

/// One JSON document on standard output: keys sorted, dates in ISO 8601, keys without a value left out.
enum JSONDocument {
    static func text(of value: some Encodable) throws -> String {
        try text(of: value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// The same on one line.
    static func line(of value: some Encodable) throws -> String {
        try text(of: value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(of value: some Encodable, _ format: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = format
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp.text(date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
