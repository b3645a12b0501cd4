import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Reads what pages get to know from the store. Thread-safe.
struct PageStateReader: Sendable {
    let store: BundleStore

    /// What the page that makes a request gets to know; nil when the bundle isn't there any more.
    func state(of name: BundleName, for request: HTTPRequest) async -> PageState? {
        await withTaskExecutorPreference(BlockingExecutor()) {
            guard let bundle = store.snapshot.bundles[name] else { return nil }
            return state(of: bundle).seen(from: Self.page(request, name, store), of: bundle)
        }
    }

    /// What every page gets to know. Reads the catalog.
    func state(of bundle: InstalledBundle) -> PageState {
        PageState(
            bundle,
            checked: try? store.lastEvent(.checked, of: bundle.name),
            decided: try? store.lastEvent(.decided, of: bundle.name)
        )
    }

    /// The version of the page that makes a request, by its version cookie; nil when that isn't an installed one.
    static func page(_ request: HTTPRequest, _ name: BundleName, _ store: BundleStore) -> BundleVersion? {
        let version = VersionCookies(request.headerFields[.cookie]).version(of: name)
        return store.snapshot.bundles[name]?.releases.first { $0.version.string == version }?.version
    }
}
