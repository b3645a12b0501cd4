import BundleServing
import BundleStore
import HTTPTypes

extension CachedSelection {
    /// The selection of a response; nil when no later request is known to select it.
    init?(of response: StoredResponse) {
        guard case .fields(let names) = VariantSelector(response.fields) else { return nil }
        let selectors = Set(names.map(\.canonicalName)).sorted().joined(separator: "\n")
        let digests = selectors.isEmpty ? [0] : response.selections.map(Self.digest).sorted()
        guard let digest = digests.first else { return nil }
        self.init(selectors: selectors, digest: digest, alternative: digests.dropFirst().first)
    }

    /// The digests of a request's values: a response that it selects is stored under one of them.
    ///
    /// - Parameter selectors: The names of the fields, one a line.
    static func digests(of selectors: String, in fields: HTTPFields) -> [Int64] {
        guard !selectors.isEmpty else { return [0] }
        let names = selectors.split(separator: "\n").compactMap { HTTPField.Name(String($0)) }
        let selector = VariantSelector.fields(names)
        let favourite = NegotiationField(.acceptLanguage, of: fields)?.favourite
        return [selector.key(of: fields), selector.key(of: fields, inLanguage: favourite)]
            .compactMap { $0.map(digest) }
    }

    private static func digest(_ selection: VariantSelection) -> Int64 {
        Digest(of: selection.bytes).withUnsafeBytes { $0.littleEndian(at: 0) }
    }
}
