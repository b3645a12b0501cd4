import ArgumentParser
import BundleStore

struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activate",
        abstract: "Make an installed version the active one.",
        discussion: """
            What was cached under the previous version is dropped in the same step. When it was higher, it is held \
            back: updates install only what exceeds it. A version that claims URLs of another bundle is refused, as by \
            install.

            Example:
              bundlectl activate shop@1.1.0
            """
    )

    @Argument(help: ArgumentHelp("The version.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var overlap: OverlapOptions

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        let store = try change.store.open(readsIndexes: true)
        let previous = store.snapshot.bundles[release.name]?.activeVersion
        try store.activate(
            release.name,
            release.version,
            permittingOverlapWith: Set(overlap.allowOverlap),
            waits: change.wait
        )
        let held = try store.updateState(of: release.name)?.heldVersion
        try change.output.console.report(
            ActivationSummary(release.name, from: previous, to: release.version, isRollback: false, held: held)
        )
    }
}

/// Which bundles' URLs a release may also claim.
struct OverlapOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Allow the release to claim URLs of this other bundle; may be repeated. The longer prefix wins.",
            valueName: "name"
        )
    )
    var allowOverlap: [BundleName] = []
}

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
