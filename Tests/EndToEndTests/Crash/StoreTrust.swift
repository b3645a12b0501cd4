import BundleStore

/// What a store trusts of the shop's feed: the versions of the documents by their names.
struct StoreTrust: Equatable, CustomStringConvertible {
    private let versions: [String: Int64]

    /// Opens the store as the next command would.
    init(ofStoreIn path: String) throws {
        let store = try BundleStore(at: path, creating: true)
        let names = ["root", "targets", "snapshot", "timestamp", "feed"].map { "\($0).json" }
        versions = try names.reduce(into: [:]) { versions, name in
            versions[name] = try store.trustedDocument(name, of: BundleName("shop"))?.version
        }
    }

    var description: String {
        versions.isEmpty
            ? "nothing" : versions.sorted { $0.key < $1.key }.map { "\($0.value).\($0.key)" }.joined(separator: " ")
    }

    /// Whether nothing has gone back. Below a later root the documents of other keys begin again.
    func isAtLeast(_ earlier: StoreTrust) -> Bool {
        guard root == earlier.root else { return root > earlier.root }
        return earlier.versions.allSatisfy { versions[$0.key, default: 0] >= $0.value }
    }

    private var root: Int64 { versions["root.json", default: 0] }
}
