import BundleStore
import ServiceLifecycle

/// Writes what the cache still holds when the server ends: responses are written behind.
struct CacheKeeper: Service {
    let store: BundleStore

    func run() async {
        // Ends early only when the task is cancelled, and then there is as much to write.
        try? await gracefulShutdown()
        await store.flushCache()
    }
}
