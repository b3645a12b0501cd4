/// The result of a walk.
struct CrashReport: CustomStringConvertible {
    let scenario: String
    let action: FaultAction
    let stepCount: Int
    /// How many of them were selected.
    let takenCount: Int
    /// The result of each step: the state that was found, or the error.
    let steps: [Result<String, Finding>]

    /// Something that must never happen.
    struct Finding: Error, CustomStringConvertible {
        let description: String
    }

    var findings: [Finding] {
        steps.compactMap { if case .failure(let finding) = $0 { finding } else { nil } }
    }

    /// One line.
    var description: String {
        let states = Dictionary(grouping: steps.compactMap { try? $0.get() }, by: \.self)
        let counts = states.sorted { $0.key > $1.key }.map { ", \($0.value.count) \($0.key)" }.joined()
        let what = action.kills ? "killed" : "failed"
        return "crash walk: \(scenario), \(action): \(stepCount) steps, \(steps.count) \(what)\(counts), "
            + "\(findings.count) wrong"
    }
}
