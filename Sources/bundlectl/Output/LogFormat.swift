import ArgumentParser
import BundleStore
import Foundation
import Logging

/// The format of log messages, one line each.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// Time, level, text, and the fields as `name=value`.
    case text
    /// An object with `time`, `level`, `message`, and `fields` when there are any: numbers, or texts.
    case json

    private struct Document: Encodable {
        let time: Date
        let level: String
        let message: String
        let fields: [String: Field]?
    }

    private struct Field: Encodable {
        let value: Logger.MetadataValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .stringConvertible(let number as Int): try container.encode(number)
            case .stringConvertible(let number as Double): try container.encode(number)
            default: try container.encode("\(value)")
            }
        }
    }

    /// The line of a message, without its end.
    func line(at time: Date, _ level: Logger.Level, _ message: String, _ fields: Logger.Metadata) -> String {
        switch self {
        case .text:
            let fields = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.text($0.value))" }.joined()
            return Printable.line("\(Timestamp.text(time)) \(level): \(message)\(fields)")
        case .json:
            let values = fields.isEmpty ? nil : fields.mapValues(Field.init)
            let document = Document(time: time, level: level.rawValue, message: message, fields: values)
            // Texts, dates and finite numbers can always be encoded.
            return (try? JSONDocument.line(of: document))?.trimmingCharacters(in: .newlines) ?? ""
        }
    }

    /// In quotes when it has spaces, so that a field's end can be seen.
    private static func text(_ value: Logger.MetadataValue) -> String {
        let text = "\(value)"
        return text.contains(" ") ? "\"\(text.replacing("\"", with: "'"))\"" : text
    }
}
