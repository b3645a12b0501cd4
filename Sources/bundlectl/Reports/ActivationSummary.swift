import BundleStore

/// The result of `activate` and `rollback`.
struct ActivationSummary: Report {
    let name: String
    let from: String?
    let to: String
    /// The version that updates must exceed.
    let held: String?
    private let isRollback: Bool

    private enum CodingKeys: CodingKey {
        case name, from, to, held
    }

    init(_ name: BundleName, from: BundleVersion?, to: BundleVersion, isRollback: Bool, held: BundleVersion?) {
        self.name = name.string
        self.from = from?.string
        self.to = to.string
        self.held = held?.string
        self.isRollback = isRollback
    }

    var lines: [String] {
        let remark = held.map { "; updates take only what exceeds \($0)" } ?? ""
        if isRollback { return ["rolled \(name) back from \(from ?? "none") to \(to)\(remark)"] }
        if from == to { return ["\(name)@\(to) is active already\(remark)"] }
        return ["\(name)@\(to) is active now\(from.map { ", in place of \($0)" } ?? "")\(remark)"]
    }
}
