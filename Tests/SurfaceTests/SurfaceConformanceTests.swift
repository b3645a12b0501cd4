import BundleTesting
import Testing

/// One table for every way in; the rows are in `SurfaceTable.swift`.
@Suite("Every way in gives the same responses")
struct SurfaceConformanceTests {
    @Test("the rows of the table, one after the other", arguments: SurfaceKind.available)
    func table(_ kind: SurfaceKind) async throws {
        try await withTemporaryDirectory { directory in
            let world = try await SurfaceWorld(in: directory)
            let surface = try await kind.open(world)
            for row in SurfaceTable.rows { try await row.check(on: kind, surface, world) }
            try await surface.close()
            await world.origin.stop()
        }
    }
}

extension SurfaceRow {
    /// Makes the step, and prints its outcome in a line when it has any.
    fileprivate func check(on kind: SurfaceKind, _ surface: any Surface, _ world: SurfaceWorld) async throws {
        switch step {
        case .request(let request, let expectation):
            let exception = exceptions[kind]
            let expected = exception == nil ? expectation : exception?.expectation
            report(on: kind, await Self.problems(with: request, on: surface, expected))
        case .rules(let json): report(on: kind, await problems(withRules: json, on: kind, surface))
        case .origin(isUp: true): try await world.origin.start()
        case .origin(isUp: false): await world.origin.stop()
        case .update:
            try world.publish()
            try await surface.update()
        case .rollBack: try await surface.rollBack()
        }
    }

    /// - Parameter expected: Nil when no response must come.
    private static func problems(
        with request: ConformanceRequest,
        on surface: any Surface,
        _ expected: ConformanceExpectation?
    ) async -> [String] {
        do {
            let response = try await surface.send(request)
            return expected?.problems(with: response) ?? ["there is a response, \(response.status)"]
        } catch {
            return expected == nil ? [] : ["\(error)"]
        }
    }

    private func problems(withRules json: String, on kind: SurfaceKind, _ surface: any Surface) async -> [String] {
        let canBeMade = exceptions[kind] == nil
        do {
            try await surface.setRules(json)
            return canBeMade ? [] : ["there are rules"]
        } catch {
            return canBeMade ? ["\(error)"] : []
        }
    }

    private func report(on kind: SurfaceKind, _ problems: [String]) {
        let remark = exceptions[kind].map { ", different: \($0.reason)" } ?? ""
        print("\(kind) | \(self) | \(problems.isEmpty ? "passed\(remark)" : "failed")")
        #expect(problems == [], "\(kind): \(self)")
    }
}
