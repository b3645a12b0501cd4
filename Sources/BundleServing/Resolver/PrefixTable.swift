import BundleStore

/// Finds the longest registered prefix of a path, by whole components. The time depends on the depth of the prefixes, not
/// on their number.
struct PrefixTable<Value: Sendable>: Sendable {
    private struct Target: Sendable {
        let bundle: BundleName
        let value: Value
    }

    private struct Site: Sendable {
        var prefixes: [[String]: Target] = [:]
        var maximumLength = 0
    }

    private var sites: [String: Site] = [:]

    /// Registers a prefix. The first to take one keeps it.
    mutating func insert(_ value: Value, for bundle: BundleName, at components: [String], in site: String) {
        var prefixes = sites[site] ?? Site()
        guard prefixes.prefixes[components] == nil else { return }
        prefixes.prefixes[components] = Target(bundle: bundle, value: value)
        prefixes.maximumLength = max(prefixes.maximumLength, components.count)
        sites[site] = prefixes
    }

    /// The longest prefix of `components` in a site, and its length.
    func longest(_ components: [String], in site: String) -> (bundle: BundleName, value: Value, length: Int)? {
        guard let site = sites[site] else { return nil }
        for length in (0...min(site.maximumLength, components.count)).reversed() {
            if let target = site.prefixes[Array(components.prefix(length))] {
                return (target.bundle, target.value, length)
            }
        }
        return nil
    }
}
