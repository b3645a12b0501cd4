/// A cached response that verification has found to be damaged.
struct DamagedResponse: Sendable {
    let id: Int64
    /// A readable name for messages.
    let label: String
    let damage: StoreDamage
}

extension DamagedResponse {
    init(_ response: CachedResponse) {
        self.init(id: response.id, label: response.label, damage: response.damage)
    }

    /// A response whose row can't be read.
    init(row id: Int64, of bundle: BundleName?) {
        let label = "row \(id) of the cache"
        let problem = "\(label) is damaged, and counts as absent"
        let damage = StoreDamage(bundle: bundle, version: nil, problem, .repair(.response))
        self.init(id: id, label: label, damage: damage)
    }
}
