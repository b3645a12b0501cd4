import Foundation
import Testing

/// Whatever the step at which a command is interrupted: the store has the old state or the new one, is intact, and the
/// same command brings it to the new one. Here the first and the last step of each kind are taken; `scripts/crash-walk`
/// takes them all.
@Suite(.enabled(if: FaultyRun.isPossible, "the library is preloaded into the program, which needs Linux"))
struct CrashTests {
    struct Walk: Sendable, CustomTestStringConvertible {
        let scenario: CrashScenario
        let action: FaultAction

        var testDescription: String { "\(scenario.name), \(action)" }
    }

    /// The steps that `scripts/crash-walk` requests; nil when it doesn't run.
    private static let order = ProcessInfo.processInfo.environment["CRASH_WALK"].flatMap { $0.isEmpty ? nil : $0 }

    private static let walks: [Walk] =
        switch order {
        case nil:
            CrashScenario.all.filter { !$0.isVariant }.map { Walk(scenario: $0, action: .kill) }
                + CrashScenario.all.filter { $0.name == "install of a second version" }.flatMap { scenario in
                    [.ENOSPC, .powercut].map { Walk(scenario: scenario, action: $0) }
                }
        case "all": walks(FaultAction.allCases)
        case let names?: walks(names.split(separator: ",").compactMap { FaultAction(rawValue: String($0)) })
        }

    @Test(arguments: walks)
    func `a command that is interrupted at any step leaves the old state or the new one`(walk: Walk) async throws {
        let report = try await CrashWalk.run(walk.scenario, walk.action, takesAllSteps: Self.order != nil)
        print(report)
        #expect(report.steps.count == report.takenCount && report.takenCount > 5)
        for finding in report.findings.prefix(20) { Issue.record("\(walk.scenario.name): \(finding)") }
        #expect(report.findings.isEmpty, "\(report)")
    }

    private static func walks(_ actions: [FaultAction]) -> [Walk] {
        CrashScenario.all.flatMap { scenario in actions.map { Walk(scenario: scenario, action: $0) } }
    }
}
