import BundleTesting
import Testing

@testable import BundleStore

@Suite("FileLock")
struct FileLockTests {
    @Test(
        "only shared locks go together",
        arguments: [
            (FileLock.Mode.shared, FileLock.Mode.shared, true), (.shared, .exclusive, false),
            (.exclusive, .shared, false), (.exclusive, .exclusive, false),
        ]
    )
    func exclusion(_ held: FileLock.Mode, _ wanted: FileLock.Mode, _ isGranted: Bool) async throws {
        try await withStore { store, _ in
            let path = store.layout.lock(nil)
            let lock = try #require(try FileLock(path, held, waits: false))
            let second = try lock.whileHeld { try FileLock(path, wanted, waits: false) }
            #expect((second != nil) == isGranted)
        }
    }

    @Test("a lock that goes away is free again")
    func release() async throws {
        try await withStore { store, _ in
            let path = store.layout.lock(nil)
            for _ in 0..<3 {
                let lock = try #require(try FileLock(path, .exclusive, waits: true))
                lock.whileHeld {}
            }
        }
    }

    @Test("the store, each bundle, and each bundle's update are locked apart from each other")
    func names() async throws {
        try await withStore { store, _ in
            let bundles = try ["store", "store.lock", "update", "a", "a.update"].map { try name($0) }
            let paths =
                [store.layout.lock(nil)] + bundles.map { store.layout.lock($0) }
                + bundles.map { store.layout.updateLock($0) }
            #expect(Set(paths.map { "\($0)" }).count == paths.count)
        }
    }

    @Test("two updates of one bundle exclude each other, an install goes beside them")
    func update() async throws {
        try await withStore { store, directory in
            let other = try directory.openStore()
            let lock = try store.lockUpdate(of: name("shop"))
            let error = #expect(throws: BundleError.self) { try other.lockUpdate(of: name("shop")) }
            #expect(error?.code == .storeBusy)
            #expect(error?.message.contains("shop") == true)
            _ = try other.lockUpdate(of: name("news"))
            #expect(try other.install("1.0.0") == .installed)
            withExtendedLifetime(lock) {}
        }
    }
}
