import BundleServing
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

    /// What these request fields select by; nil when that isn't known.
    func key(of requestFields: HTTPFields) -> VariantSelection? {
        guard case .fields(let names) = self else { return nil }
        return VariantSelection(names, of: requestFields)
    }

    /// What a response in this language can be selected by in addition: a request that prefers the language to all
    /// others; nil when the response doesn't vary by language.
    func key(of requestFields: HTTPFields, inLanguage language: [UInt8]?) -> VariantSelection? {
        guard case .fields(let names) = self, names.contains(.acceptLanguage), let language else { return nil }
        return VariantSelection(names, of: requestFields, language: language)
    }
}

/// The values of the request fields that a response was selected by, in a form in which those that mean the same are
/// equal (RFC 9111 §4.1): a response serves the requests whose selection equals its own. A value type; safe to share
/// between threads.
///
/// Lines are combined and white space around a value is dropped for every field; the lists of ``NegotiationField`` are
/// compared by their members. All else is compared byte by byte, because nothing more is known of the field's syntax.
package struct VariantSelection: Hashable, Sendable {
    /// Suits as a key: selections are equal when these bytes are.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - names: What Vary names; the order and repetitions don't matter.
    ///   - fields: The request's fields.
    ///   - language: Taken for the value of Accept-Language, in lower case.
    init(_ names: [HTTPField.Name], of fields: HTTPFields, language: [UInt8]? = nil) {
        var bytes: [UInt8] = []
        for name in Set(names).sorted(by: { $0.canonicalName < $1.canonicalName }) {
            bytes += name.canonicalName.utf8
            let value =
                if name == .acceptLanguage, let language { [Form.language.rawValue] + language } else {
                    Self.value(of: name, in: fields)
                }
            // A line feed, which no value contains, ends it.
            bytes += value + [0x0A]
        }
        self.bytes = bytes
    }

    /// How a value is written, so that different kinds of values are never equal.
    private enum Form: UInt8 {
        case absent = 0x00
        case bytes = 0x01
        case members = 0x02
        case language = 0x03
    }

    private static func value(of name: HTTPField.Name, in fields: HTTPFields) -> [UInt8] {
        let lines = fields[fields: name]
        guard !lines.isEmpty else { return [Form.absent.rawValue] }
        if let field = NegotiationField(name, of: fields) {
            return [Form.members.rawValue] + field.members.flatMap { $0.name + ";q=\($0.weight),".utf8 }
        }
        return [Form.bytes.rawValue] + Array(lines.map(trimmedBytes).joined(separator: Array(", ".utf8)))
    }

    private static func trimmedBytes(_ field: HTTPField) -> [UInt8] {
        field.withUnsafeBytesOfValue { Array($0.trimmingBlanks) }
    }
}
