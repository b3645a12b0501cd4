import BundleEmbedding
import BundleStore
import Synchronization

/// What an `ob_client` is. Thread-safe.
final class ClientHandle: Sendable {
    let client: BundleClient
    private let closed = Atomic(false)

    init(_ client: BundleClient) {
        self.client = client
    }

    /// Ends what runs.
    func close() {
        closed.store(true, ordering: .releasing)
        client.close()
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` once the client is closed.
    func checkOpen() throws(BundleError) {
        guard !closed.load(ordering: .acquiring) else {
            throw BundleError(.storeUnavailable, "the client of the store has been closed; open another one")
        }
    }
}
