import BundleStore
import HTTPTypes

extension CachedSelection {
    /// The selection of a response; nil when no later request is known to select it.
    init?(of response: StoredResponse) {
        guard case .fields(let names) = VariantSelector(response.fields) else { return nil }
        let selectors = Set(names.map(\.canonicalName)).sorted().joined(separator: "\n")
        guard let digest = Self.digests(of: selectors, in: response.selectingFields).first else { return nil }
        self.init(selectors: selectors, digest: digest)
    }

    /// The digests of a request's values: a response is stored under one of them.
    ///
    /// - Parameter selectors: The names of the fields, one a line.
    static func digests(of selectors: String, in fields: HTTPFields) -> [Int64] {
        guard !selectors.isEmpty else { return [0] }
        var bytes: [UInt8] = []
        for name in selectors.split(separator: "\n").compactMap({ HTTPField.Name(String($0)) }) {
            let value = VariantSelector.normalized(fields, name)
            bytes.append(value == nil ? 0 : 1)
            bytes.appendLittleEndian(UInt32(clamping: value?.count ?? 0))
            bytes += value ?? []
        }
        return [Digest(of: bytes).withUnsafeBytes { $0.littleEndian(at: 0) }]
    }
}
