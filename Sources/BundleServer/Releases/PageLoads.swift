import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Notices the first page that this server gives out of each release that has yet to be confirmed: its time begins then, and
/// the server's start counts. Thread-safe.
///
/// It sees each response that is made, not each that is sent: after an activation every response is made again.
final class PageLoads: Sendable {
    private let store: BundleStore
    private let awaited = Mutex<[BundleName: String]>([:])
    private let isAwaiting = Atomic(false)

    init(_ store: BundleStore) {
        self.store = store
        storeChanged(to: store.snapshot)
    }

    /// Takes a snapshot of the store.
    func storeChanged(to snapshot: StoreSnapshot) {
        let versions = snapshot.bundles.compactMapValues { bundle in
            store.awaitsLoad(of: bundle) ? bundle.activeVersion?.string : nil
        }
        awaited.withLock { $0 = versions }
        isAwaiting.store(!versions.isEmpty, ordering: .releasing)
    }

    /// Takes a response that was made; returns at once.
    func note(_ start: ResponseStart, to request: HTTPRequest) {
        guard isAwaiting.load(ordering: .acquiring), case .complete(let response, let source, _) = start,
            source.layer == .active, let release = source.release, request.method == .get,
            [.ok, .notModified].contains(response.head.status), NavigationRequest.isTopLevel(request)
        else { return }
        let isFirst = awaited.withLock { awaited in
            guard awaited[release.name] == release.version.string else { return false }
            awaited[release.name] = nil
            return true
        }
        guard isFirst else { return }
        // An event loop mustn't wait for the disk.
        Task(executorPreference: BlockingExecutor()) { [self] in
            do {
                try store.noteLoad(of: release.name, release.version)
            } catch {
                // The next page is the first: the store could not be written.
                storeChanged(to: store.snapshot)
            }
        }
    }
}
