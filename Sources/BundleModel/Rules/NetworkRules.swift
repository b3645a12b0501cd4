/// What a bundle, or the operator, says about requests that the bundle lacks: the member `network` of `bundle.json`.
///
/// A value type; safe to share between threads.
package struct NetworkRules: Equatable, Sendable {
    /// The keys of `network`.
    enum Key: String, CaseIterable {
        case rules
        case precache
    }

    /// The largest number of rules.
    package static let maximumCount = 256
    /// The total length of the paths' patterns in bytes: each is compared with the path of each request that the bundle
    /// lacks, which the client chooses.
    static let maximumPatternByteCount = 8 << 10
    /// The largest number of URLs that are fetched ahead.
    static let maximumPrecacheCount = 256

    /// In the order in which they are tried: the first that matches applies.
    package let rules: [NetworkRule]
    /// Absolute URLs below the bundle's origins that are fetched at the installation and after an update.
    package let precache: [String]

    /// What the parser has read and checked.
    package init(rules: [NetworkRule] = [], precache: [String] = []) {
        self.rules = rules
        self.precache = precache
    }

    /// Whether it says nothing.
    package var isEmpty: Bool { rules.isEmpty && precache.isEmpty }
}

extension NetworkRules {
    /// Parses rules that hold for all bundles: a file of the form of `network`, without `precache`.
    ///
    /// - Throws: ``BundleError`` with code `invalidArgument`, as the parser of a manifest does.
    package static func parse(
        _ json: [UInt8],
        named name: String
    ) throws(BundleError) -> (rules: NetworkRules, warnings: [String]) {
        let root = try JSONElement(
            parsing: json,
            named: name,
            maximumByteCount: BundleManifest.maximumByteCount,
            refusedAs: .invalidArgument
        )
        return try NetworkRulesParser(origins: nil).parse(root)
    }
}
