import BundleStore

/// The result of `activate` and `rollback`.
struct ActivationSummary: Report {
    let name: String
    let from: String?
    let to: String
    private let isRollback: Bool

    private enum CodingKeys: CodingKey {
        case name, from, to
    }

    init(_ name: BundleName, from: BundleVersion?, to: BundleVersion, isRollback: Bool) {
        self.name = name.string
        self.from = from?.string
        self.to = to.string
        self.isRollback = isRollback
    }

    var lines: [String] {
        if isRollback {
            return ["rolled \(name) back from \(from ?? "none") to \(to); updates take only what exceeds \(from ?? to)"]
        }
        if from == to { return ["\(name)@\(to) is active already"] }
        return ["\(name)@\(to) is active now\(from.map { ", in place of \($0)" } ?? "")"]
    }
}
