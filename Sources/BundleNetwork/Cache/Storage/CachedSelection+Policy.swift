import BundleServing
import BundleStore
import HTTPTypes

extension CachedSelection {
    /// The selection of a response; nil when no later request is known to select it.
    init?(of response: StoredResponse) {
        guard case .fields(let names) = VariantSelector(response.fields) else { return nil }
        let selectors = Set(names.map(\.canonicalName)).sorted().joined(separator: "\n")
        let digests = selectors.isEmpty ? [Self.always] : response.selections.map(Self.digest).sorted()
        guard let digest = digests.first else { return nil }
        self.init(selectors: selectors, digest: digest, alternative: digests.dropFirst().first)
    }

    /// The digests of a request's values, as ``StoredResponse/selections(of:)``. What they find has to be compared with
    /// the request itself.
    ///
    /// - Parameter selectors: The names of the fields, one a line.
    static func digests(of selectors: String, in fields: HTTPFields) -> [Int64] {
        guard !selectors.isEmpty else { return [always] }
        let names = selectors.split(separator: "\n").compactMap { HTTPField.Name(String($0)) }
        let selector = VariantSelector.fields(names)
        let favourite = NegotiationField(.acceptLanguage, of: fields)?.favourite
        let keys = [selector.key(of: fields), selector.key(of: fields, inLanguage: favourite)]
        return keys.compactMap { $0.map(digest) }
    }

    /// Where no field selects.
    private static let always: Int64 = 0

    private static func digest(_ selection: VariantSelection) -> Int64 {
        Digest(of: selection.bytes).withUnsafeBytes { $0.littleEndian(at: 0) }
    }
}
