import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Reads what pages get to know from the store. Thread-safe.
struct PageStateReader: Sendable {
    let store: BundleStore

    /// What the page that makes a request gets to know; nil when the bundle isn't there any more.
    func state(for call: PageCall, _ request: HTTPRequest) async -> PageState? {
        await withTaskExecutorPreference(BlockingExecutor()) {
            guard let bundle = store.snapshot.bundles[call.name] else { return nil }
            return state(of: bundle).seen(from: Self.page(call, request, bundle), of: bundle)
        }
    }

    /// What every page gets to know. Reads the catalog.
    func state(of bundle: InstalledBundle) -> PageState {
        PageState(
            bundle,
            try? store.updateState(of: bundle.name),
            choice: try? store.lastEvent(.decided, of: bundle.name),
            readyChoice: bundle.lifecycle.pending.flatMap {
                try? store.lastEvent(.decided, of: bundle.name, $0.version)
            }
        )
    }

    /// The version of the page that makes a call, by its version cookie; nil when that isn't an installed one, and when the
    /// page says that it is of another one. The cookie is the browser's: another tab may have got it since.
    static func page(_ call: PageCall, _ request: HTTPRequest, _ bundle: InstalledBundle) -> BundleVersion? {
        let version = VersionCookies(request.headerFields[.cookie]).version(of: call.name)
        guard call.page == nil || call.page == version else { return nil }
        return bundle.releases.first { $0.version.string == version }?.version
    }
}
