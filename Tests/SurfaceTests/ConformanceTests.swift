import BundleTesting
import Testing

/// One table for every way in; the rows are in `Table/ConformanceTable.swift`.
@Suite("Every way in gives the same responses")
struct ConformanceTests {
    @Test("the rows of the table, one after the other", arguments: SurfaceKind.available)
    func table(_ kind: SurfaceKind) async throws {
        try await withTemporaryDirectory { directory in
            let world = try await SurfaceWorld(in: directory)
            let run = ConformanceRun(world, try await kind.open(world), kind)
            for row in ConformanceTable.rows { try await run.run(row) }
            try await run.finish()
        }
    }
}
