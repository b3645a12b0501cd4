import ArgumentParser
import BundleStore

struct Pin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep a version until it is unpinned.",
        discussion: """
            Neither --keep nor “bundlectl prune” nor the quota removes it, and “bundlectl remove” refuses to.

            Example:
              bundlectl pin shop@1.0.0
            """
    )

    @Argument(help: ArgumentHelp("The version.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        try change.store.open().setPinned(true, release.name, release.version, waits: change.wait)
        try change.output.console.report(PinSummary(release, isPinned: true))
    }
}

/// The result of `pin` and `unpin`.
struct PinSummary: Report {
    let name: String
    let version: String
    let isPinned: Bool

    init(_ release: ReleaseName, isPinned: Bool) {
        name = release.name.string
        version = release.version.string
        self.isPinned = isPinned
    }

    var lines: [String] {
        [isPinned ? "\(name)@\(version) is pinned: it stays until it is unpinned" : "\(name)@\(version) is not pinned"]
    }
}
