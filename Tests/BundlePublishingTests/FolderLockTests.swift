import BundleStore
import BundleTesting
import Testing

@testable import BundlePublishing

struct FolderLockTests {
    @Test("a folder that another one has locked isn't waited for for ever")
    func busy() async throws {
        try await withTemporaryDirectory { directory in
            let lock = try FolderLock(directory.path)
            let error = #expect(throws: BundleError.self) { _ = try FolderLock(directory.path, patience: .zero) }
            #expect(error?.code == .outputUnavailable)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("folders that are named twice are locked once")
    func holding() async throws {
        try await withTemporaryDirectory { directory in
            let isHeld = try FolderLock.holding([directory.path, directory.path + "/"]) {
                (try? FolderLock(directory.path, patience: .zero)) == nil
            }
            #expect(isHeld)
        }
    }
}
