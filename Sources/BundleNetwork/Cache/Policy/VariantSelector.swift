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
