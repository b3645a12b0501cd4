import ArgumentParser
import BundleStore

struct Hold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Leave a bundle as it is: updates install nothing.",
        discussion: """
            “bundlectl list” shows which bundles are on hold. Installing and activating by hand go on working.

            Example:
              bundlectl hold shop
            """
    )

    @Argument(help: "The bundle.")
    var name: BundleName

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        try change.store.open().setHold(true, name, waits: change.wait)
        try change.output.console.report(HoldSummary(name, isOnHold: true, held: nil))
    }
}

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
