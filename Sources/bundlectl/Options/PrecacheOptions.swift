import ArgumentParser
import BundleNetwork
import BundleStore
import BundleTransport

/// Whether a verb fetches what manifests name as `precache`.
struct PrecacheOptions: ParsableArguments {
    @Flag(help: "Don't fetch what manifests name as “precache”. A server of the store does.")
    var noPrecache = false

    @OptionGroup var networkRules: NetworkRuleOptions

    /// Fetches it for the active versions, as far as that is possible.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - rules: What ``networkRules`` has read, before the verb changes anything.
    ///   - access: How origins are reached.
    ///   - limit: How long it takes at most.
    ///   - isForced: Whether to try also what isn't due.
    func run(
        _ names: Set<BundleName>?,
        in store: BundleStore,
        by rules: CommonRules,
        over access: NetworkAccess,
        within limit: Duration,
        isForced: Bool = false
    ) async -> [PrecacheReport] {
        let isNamed = store.snapshot.sortedBundles.contains { bundle in
            names?.contains(bundle.name) ?? true && bundle.active?.manifest.network.precache.isEmpty == false
        }
        guard !noPrecache, isNamed else { return [] }
        return await access.withTransport { transport in
            await networkRules.responder(store, rules, transport: transport)
                .precache(names, within: limit, isForced: isForced)
        }
    }
}

/// What was fetched ahead for a bundle, in the results of `install`, `update` and `check`.
extension PrecacheSummary {
    /// The line of the text, safe to print.
    var line: String {
        let all = "\(storedCount) of \(Quantity.text(urlCount, "URL"))"
        guard storedCount < urlCount else { return "fetched ahead for \(name): \(all)" }
        let reason = failure.map { ": \(Printable.line($0))" } ?? ""
        return "fetched ahead for \(name): \(all); serve and update fetch the rest later\(reason)"
    }
}
