import ArgumentParser
import BundleStore

struct MarkGood: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark-good",
        abstract: "Confirm that the active version works.",
        discussion: """
            A release whose manifest has “health” must be confirmed in time, by a page, the shell or this command; \
            otherwise the version before comes back. Confirming another one changes nothing.

            Example:
              bundlectl mark-good shop@1.1.0
            """
    )

    @Argument(help: ArgumentHelp("The active version.", valueName: "name@version"))
    var release: ReleaseName

    @OptionGroup var change: BundleChangeOptions

    func run() async throws {
        let confirmed = try change.store.open().confirm(release.name, release.version, waits: change.wait)
        try change.output.console.report(
            ConfirmationSummary(release.name, confirmed.version, wasOnProbation: confirmed.wasOnProbation)
        )
    }
}

/// The result of `mark-good`.
struct ConfirmationSummary: Report {
    let name: String
    let version: String
    /// Whether the release had to be confirmed.
    let wasOnProbation: Bool

    init(_ name: BundleName, _ version: BundleVersion, wasOnProbation: Bool) {
        (self.name, self.version, self.wasOnProbation) = (name.string, version.string, wasOnProbation)
    }

    var lines: [String] {
        wasOnProbation ? ["\(name)@\(version) is confirmed"] : ["\(name)@\(version) needs no confirmation"]
    }
}
