import BundleTesting
import Testing

/// The result of a power cut depends on the order in which changes become durable: contents before names, names before
/// the catalog that refers to them.
@Suite(.enabled(if: FaultyRun.isPossible, "the library is preloaded into the program, which needs Linux"))
struct DurableOrderTests {
    @Test(arguments: CrashScenario.all.filter { $0.name.hasPrefix("install") || $0.name.hasPrefix("update") })
    func `contents are durable before their names, and both before the catalog refers to them`(
        scenario: CrashScenario
    ) async throws {
        try await withTemporaryDirectory { directory in
            let feed = scenario.needsFeed ? OriginServer() : nil
            try await feed?.start()
            let site = try CrashSite(directory, feed: feed)
            try await scenario.prepare(site)
            let run = try await FaultyRun(scenario.command(site), in: site.before)
            await feed?.stop()
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let log = DurableOrder(steps: run.steps)
            let published = log.published(in: ["segments", "indexes"])
            #expect(published.count >= 2, "a segment and an index, or the test looks at the wrong folders")
            for index in published { try log.checkPublication(at: index) }
            try log.checkEnd(after: #require(published.last))
        }
    }
}

/// The steps of a run, with queries about their order.
private struct DurableOrder {
    let steps: [FaultStep]

    /// The places in the log where a file got its name in one of these folders.
    func published(in folders: [String]) -> [Int] {
        steps.indices.filter { index in
            folders.contains { steps[index].newPath?.hasPrefix("store/\($0)/") ?? false }
        }
    }

    /// All writes to the file, then its sync, then the rename, then the sync of the folder, and only then the catalog.
    func checkPublication(at index: Int) throws {
        let (path, name) = (steps[index].path, try #require(steps[index].newPath))
        let lastWrite = try #require(steps.lastIndex { $0.isWrite && $0.path == path }, "\(steps[index])")
        #expect(lastWrite < index)
        #expect(!steps[index...].contains { $0.isWrite && $0.path == name }, "\(name) is written under its name")
        #expect(steps[lastWrite..<index].contains { $0.isSync && $0.path == path }, "\(path) isn't synced before")
        let durable = try durableName(at: index)
        #expect(!steps[index..<durable].contains { $0.isWrite && $0.path == Self.log }, "\(name) isn't durable yet")
        _ = try commit(after: durable)
    }

    /// When the catalog refers to everything and is durable, only clean-up follows.
    func checkEnd(after index: Int) throws {
        let rest = steps[try commit(after: durableName(at: index))...]
        let made = rest.filter { ["create", "mkdir", "rename"].contains($0.operation) || $0.isWrite }
        #expect(made.allSatisfy { $0.path.hasPrefix("store/locks/") || $0.path.hasPrefix("store/catalog.sqlite") })
    }

    private static let log = "store/catalog.sqlite-wal"

    /// Where the folder is synced after the rename at `index`.
    private func durableName(at index: Int) throws -> Int {
        let folder = try #require(steps[index].newPath).split(separator: "/").dropLast().joined(separator: "/")
        let sync = steps[index...].firstIndex { $0.isSync && $0.path == folder }
        return try #require(sync, "\(folder) isn't synced after")
    }

    /// Where the catalog's log is synced after having been written after `index`.
    private func commit(after index: Int) throws -> Int {
        let write = try #require(steps[index...].firstIndex { $0.isWrite && $0.path == Self.log })
        return try #require(steps[write...].firstIndex { $0.isSync && $0.path == Self.log })
    }
}
