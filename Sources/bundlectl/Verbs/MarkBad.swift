import ArgumentParser
import BundleStore

struct MarkBad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark-bad",
        abstract: "Say that a version doesn't work; the version before comes back.",
        discussion: """
            If the version is active, the one that was active before becomes active again, or else the one that was \
            shipped with the app. Without either it stays. Updates take only higher versions then, and no rollback leads \
            to it.

            Example:
              bundlectl mark-bad shop@1.1.0 --reason "the cart stays empty"
            """
    )

    @Argument(help: ArgumentHelp("An installed version.", valueName: "name@version"))
    var release: ReleaseName

    @Option(help: ArgumentHelp("Why, for “bundlectl history”.", valueName: "text"))
    var reason = "marked by hand"

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        let store = try change.store.open(readsIndexes: true)
        try change.output.console.report(
            BadReleaseSummary(try store.markBad(release.name, release.version, reason: reason, waits: change.wait))
        )
    }
}

/// The result of `mark-bad`.
struct BadReleaseSummary: Report {
    let name: String
    let version: String
    /// The version that is active now.
    let active: String?
    /// Whether it stays active, because there is nothing to go back to.
    let stays: Bool

    init(_ release: BadRelease) {
        (name, version) = (release.name.string, release.version.string)
        (active, stays) = (release.active?.string, release.stays)
    }

    var lines: [String] {
        let marked = "\(name)@\(version) is marked bad"
        if stays { return ["\(marked), and stays active: there is no earlier version"] }
        return ["\(marked); \(active.map { "\($0) is active" } ?? "no version is active")"]
    }
}
