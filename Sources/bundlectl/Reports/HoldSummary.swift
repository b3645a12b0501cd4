import BundleStore

/// The result of `hold` and `unhold`.
struct HoldSummary: Report {
    let name: String
    let isOnHold: Bool

    init(_ name: BundleName, isOnHold: Bool) {
        self.name = name.string
        self.isOnHold = isOnHold
    }

    var lines: [String] {
        isOnHold
            ? ["\(name) is on hold: updates leave it as it is"]
            : ["\(name) is not on hold: updates install what exceeds it"]
    }
}
