import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("FileLock")
struct FileLockTests {
    @Test(
        "only shared locks are compatible",
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

    @Test("a lock is released with its object")
    func release() async throws {
        try await withStore { store, _ in
            let path = store.layout.lock(nil)
            for _ in 0..<3 {
                let lock = try #require(try FileLock(path, .exclusive, waits: true))
                lock.whileHeld {}
            }
        }
    }

    @Test("waiting for a lock ends with the task where a suspended process may not get one")
    func cancellation() async throws {
        try await withStore { store, _ in
            let path = store.layout.lock(nil)
            let lock = try #require(try FileLock(path, .exclusive, waits: false))
            let waiting = Task.detached { try FileLock(path, .exclusive, waits: true, isCancellable: true) != nil }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            lock.whileHeld {}
        }
    }

    @Test("a lock that is waited for so is had once it is released")
    func cancellableWait() async throws {
        try await withStore { store, _ in
            let path = store.layout.lock(nil)
            var lock = try FileLock(path, .exclusive, waits: false)
            #expect(lock != nil)
            let waiting = Task.detached { try FileLock(path, .exclusive, waits: true, isCancellable: true) != nil }
            lock = nil
            #expect(try await waiting.value)
        }
    }

    @Test(
        "only its owner can open a lock file, even one created by an earlier version",
        arguments: [nil, 0o644, 0o666]
    )
    func permissions(_ earlier: Int?) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let path = directory.path(of: "store/locks/shop.lock")
            if let earlier { try FileManager.default.setAttributes([.posixPermissions: earlier], ofItemAtPath: path) }
            try store.install("2.0.0", ["index.html": "two"])
            for file in try directory.names(in: "locks") {
                let path = directory.path(of: "store/locks/" + file)
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
            }
        }
    }

    @Test("a link in the place of a lock isn't followed")
    func link() async throws {
        try await withStore { store, directory in
            try directory.write("precious", to: "outside")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path(of: "store/locks/shop.lock"),
                withDestinationPath: directory.path(of: "outside")
            )
            let error = #expect(throws: BundleError.self) { try store.install("1.0.0") }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("a link stands where a file or folder should be") == true)
            #expect(try directory.read("outside") == Array("precious".utf8))
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(of: "outside"))
            #expect(attributes[.posixPermissions] as? Int != 0o600)
        }
    }

    @Test("the store, each bundle, and each bundle's update are locked independently")
    func names() async throws {
        try await withStore { store, _ in
            let bundles = try ["store", "store.lock", "update", "a", "a.update"].map { try name($0) }
            let paths =
                [store.layout.lock(nil)] + bundles.map { store.layout.lock($0) }
                + bundles.map { store.layout.updateLock($0) }
            #expect(Set(paths.map { "\($0)" }).count == paths.count)
        }
    }

    @Test("two updates of one bundle exclude each other, but not an install")
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
