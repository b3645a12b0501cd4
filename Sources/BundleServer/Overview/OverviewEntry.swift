import BundleServing
import BundleStore

/// A bundle on the overview.
struct OverviewEntry: Hashable {
    let name: String
    /// The version that is served; nil when there is none.
    let version: String?
    /// What a person should know of it, such as `active` or `to be confirmed`.
    let state: String
    /// Where it opens; nil when it has no address.
    let address: String?
    /// Its icon as a `data:` URL; nil when it has none.
    let icon: String?
}

extension OverviewEntry {
    /// - Parameter endpoint: The endpoint's own URL.
    init(_ bundle: InstalledBundle, _ addresses: BundleAddresses, at endpoint: String) {
        self.init(
            name: bundle.name.string,
            version: bundle.serving?.version.string,
            state: Self.state(of: bundle),
            address: bundle.serving == nil ? nil : addresses.url(of: bundle.name, at: endpoint),
            icon: bundle.serving.flatMap(OverviewIcon.url)
        )
    }

    /// What a person should know of a bundle.
    static func state(of bundle: InstalledBundle) -> String {
        guard bundle.serving != nil else { return "installed, not active" }
        if let degradation = bundle.degradation { return degradation }
        if let withdrawal = bundle.withdrawal { return "active, not used: \(withdrawal.reason.rawValue)" }
        let probation = bundle.probationTerms == nil ? [] : ["to be confirmed"]
        let pending = bundle.lifecycle.pending.map { pending in
            "\(pending.version) follows \(pending.mode == .nextStart ? "at the next start" : "when it is idle")"
        }
        return (["active"] + probation + [pending].compactMap(\.self)).joined(separator: ", ")
    }
}
