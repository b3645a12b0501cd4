import BundleStore

/// The result of `hold` and `unhold`.
struct HoldSummary: Report {
    let name: String
    let isOnHold: Bool
    let held: String?

    /// - Parameter held: The version up to which updates install nothing; nil for the active one.
    init(_ name: BundleName, isOnHold: Bool, held: BundleVersion?) {
        self.name = name.string
        self.isOnHold = isOnHold
        self.held = held?.string
    }

    var lines: [String] {
        if isOnHold { return ["\(name) is on hold: updates leave it as it is"] }
        guard let held else { return ["\(name) is not on hold: updates install what exceeds it"] }
        return [
            "\(name) is not on hold: updates install what exceeds \(held), which is held back; “bundlectl unhold \(name)” again "
                + "ends that, too"
        ]
    }
}
