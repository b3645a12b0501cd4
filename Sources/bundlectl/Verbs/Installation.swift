import ArgumentParser
import BundleNetwork
import BundleStore

struct Installation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installation",
        abstract:
            "Show where this installation stands among those that a release is offered to a share of, or draw that anew.",
        discussion: """
            The position decides whether a release with a rollout is offered: “feed rollout shop@1.2.0 10%” reaches the installations \
            below 10. It is drawn at random, and differs from bundle to bundle. A copy of the disk on a machine with another \
            /etc/machine-id draws it anew by itself. Where all copies have the same one, as containers of one image do, \
            use --forget before the disk is copied.

            Examples:
              bundlectl installation
              bundlectl installation --forget
            """
    )

    @Flag(help: "Forget the positions: the next check draws others, on each copy of the disk its own.")
    var forget = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        if forget {
            try store.forgetInstallationIdentifier()
            return try output.console.report(InstallationSummary(positions: nil))
        }
        let identifier = try store.installationIdentifier()
        let names = store.snapshot.bundles.keys.sorted { $0.string < $1.string }
        try output.console.report(
            InstallationSummary(positions: names.map { ($0.string, Cohort(of: identifier, for: $0).position) })
        )
    }
}
