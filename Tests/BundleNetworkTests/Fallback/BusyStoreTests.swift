import BundleStore
import BundleTesting
import Foundation
import Testing

@Suite("Falling back while the store is being pruned")
struct BusyStoreTests {
    /// Holds the lock that pruning holds, as another process would.
    private func whilePruning(_ directory: TemporaryDirectory, _ body: () async throws -> Void) async throws {
        let file = open(directory.path(of: "locks/.store.lock"), O_RDWR)
        try #require(file >= 0)
        defer { close(file) }
        try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
        try await body()
    }

    @Test("responds at once, from the bundle and from the network, with or without storing", .timeLimit(.minutes(5)))
    func pruning() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try FallbackFixture(in: directory)
            let paths = (0..<8).map { "missing\($0).json" }
            for path in paths { fixture.publish(path, path) }
            try await whilePruning(directory) {
                try await withThrowingTaskGroup(of: (String, String).self) { group in
                    for path in paths { group.addTask { (path, try await fixture.get(path).text) } }
                    group.addTask { ("entry", try await fixture.get("").text) }
                    for try await (expected, text) in group { #expect(text == expected) }
                }
            }
            #expect(fixture.network.requests.count == paths.count)
            // Pruning concerns files; short bodies have none.
            #expect(try fixture.cachedURLs.count == paths.count)
        }
    }
}
