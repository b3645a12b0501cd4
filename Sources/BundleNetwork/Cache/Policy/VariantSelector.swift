import BundleStore
import HTTPTypes

/// What a response's Vary field says about the requests that it may serve (RFC 9110 §12.5.5, RFC 9111 §4.1).
enum VariantSelector: Hashable, Sendable {
    /// `*`, or something that isn't a list of field names: no later request is known to match.
    case unknowable
    /// The request fields whose values select the response; empty without a Vary field.
    case fields([HTTPField.Name])

    init(_ responseFields: HTTPFields) {
        let elements = responseFields.listElements(of: .vary)
        let names = elements.compactMap { HTTPField.Name(String($0)) }
        // `*` is a valid token, so it parses as a name.
        let isKnowable = names.count == elements.count && !elements.contains("*")
        self = isKnowable ? .fields(names) : .unknowable
    }

    /// The selecting fields among `requestFields`, to be kept with the response.
    func selectingFields(of requestFields: HTTPFields) -> HTTPFields {
        guard case .fields(let names) = self else { return HTTPFields() }
        return HTTPFields(requestFields.filter { names.contains($0.name) })
    }

    /// Whether each selecting field is the same in both requests, or absent from both (RFC 9111 §4.1).
    func matches(_ one: HTTPFields, _ other: HTTPFields) -> Bool {
        guard case .fields(let names) = self else { return false }
        return names.allSatisfy {
            VariantSelector.normalized(one, $0) == VariantSelector.normalized(other, $0)
                && !VariantSelector.isRepaired(one[$0])
        }
    }

    /// Whether a value had bytes that aren't UTF-8, all of which have been replaced by the same character.
    private static func isRepaired(_ value: String?) -> Bool { value?.unicodeScalars.contains("\u{FFFD}") ?? false }

    /// Lists in which whitespace around commas is known to be insignificant.
    private static let lists: Set<HTTPField.Name> = [.accept, .acceptEncoding, .acceptLanguage]

    /// Field lines combined and whitespace normalised as far as the field's syntax is known to allow; nil when absent.
    ///
    /// Bytes, because strings compare equal when they are merely canonically equivalent.
    static func normalized(_ fields: HTTPFields, _ name: HTTPField.Name) -> [UInt8]? {
        let lines = fields[fields: name]
        guard !lines.isEmpty else { return nil }
        if lists.contains(name) {
            return Array(fields.listElements(of: name).joined(separator: ", ").utf8)
        }
        return Array(lines.map(trimmedBytes).joined(separator: Array(", ".utf8)))
    }

    private static func trimmedBytes(_ field: HTTPField) -> [UInt8] {
        field.withUnsafeBytesOfValue { Array($0.trimmingBlanks) }
    }
}
