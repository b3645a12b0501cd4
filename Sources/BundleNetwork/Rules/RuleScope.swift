import BundleStore

/// Where a rule may send a request that it rewrites. A value type; safe to share between threads.
package struct RuleScope: Sendable {
    private let mappings: [OriginMapping]
    /// Whether it is an app's own traffic, which the app's rules may send anywhere.
    private let isOpen: Bool

    /// What the origins of a bundle cover.
    init(origins: [OriginMapping]) {
        (mappings, isOpen) = (origins, false)
    }

    private init() {
        (mappings, isOpen) = ([], true)
    }

    /// Every URL.
    static let open = RuleScope()

    func contains(_ location: OriginURL) -> Bool {
        isOpen || mappings.contains { $0.origin.contains(location) }
    }

    /// The origin that covers a path in the bundle, as ``/BundleServing/ResourceMatch/originURL`` chooses it, and the rest of
    /// the path; where no bundle is concerned, the origin of the request.
    func prefix(of components: [String], _ request: RuleRequest) -> (root: String, rest: [String])? {
        guard !isOpen else { return request.origin.map { ($0.root, components) } }
        let decoded = components.map { PercentEncoding.decode($0.utf8) ?? "" }
        let covering =
            mappings
            .map { ($0, $0.folder?.components.map(String.init) ?? []) }
            .filter { decoded.starts(with: $0.1) }
            .max { $0.1.count < $1.1.count }
        return covering.map { ($0.0.origin.description, Array(components.dropFirst($0.1.count))) }
    }
}
