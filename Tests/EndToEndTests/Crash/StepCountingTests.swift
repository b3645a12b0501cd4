import BundleTesting
import Foundation
import Testing

/// The walk relies on its count of steps: no change that reaches the kernel may be missing from it.
@Suite(.enabled(if: FaultyRun.isPossible, "the library is preloaded into the program, which needs Linux"))
struct StepCountingTests {
    @Test(
        .enabled("strace is missing, or may not trace", { await TracedCalls.isPossible() }),
        arguments: CrashScenario.all
    )
    func `every call that changes the store has been counted as a step`(scenario: CrashScenario) async throws {
        try await withTemporaryDirectory { directory in
            let feed = scenario.needsFeed ? OriginServer() : nil
            try await feed?.start()
            let site = try CrashSite(directory, feed: feed)
            try await scenario.prepare(site)
            let command = try await scenario.command(site)
            let present = Set(try TreeSnapshot(of: site.before).entries.keys)
            let (log, output) = (directory.path(of: "log"), directory.path(of: "trace"))
            let injection = FaultyRun.environment(folder: site.before, log: log)
            let options = TracedCalls.options(output: output, environment: injection)
            let result = try await ChildProcess.run(
                "strace",
                options + [Bundlectl.path] + command + ["--store", site.bundlectl.store]
            )
            await feed?.stop()
            #expect(result.exitCode == 0, "\(result.errorOutput)")

            let traced = try TracedCalls(output: output, below: site.before, present: present)
            let counted = FaultStep.log(at: log).map { "\($0.operation) \($0.path)" }
            print("crash walk: \(scenario.name): \(traced.changes.count) calls traced, \(counted.count) steps counted")
            #expect(traced.untold == [])
            let (missing, invented) = (
                Self.surplus(of: traced.changes, over: counted), Self.surplus(of: counted, over: traced.changes)
            )
            #expect(missing == [], "calls that were not counted")
            #expect(invented == [], "steps that were no calls")
            #expect(counted.count > 5)
        }
    }

    private static func surplus(of some: [String], over others: [String]) -> [String] {
        var left = Dictionary(grouping: others, by: \.self).mapValues(\.count)
        return some.filter { item in
            left[item, default: 0] -= 1
            return left[item, default: 0] < 0
        }
    }
}
