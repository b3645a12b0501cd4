import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate

struct Installation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installation",
        abstract: "Show or discard the positions that decide which rollouts reach this installation.",
        discussion: """
            “feed rollout shop@1.2.0 10%” offers a release to the installations whose position is below 10. The position is \
            random, and differs from bundle to bundle. A copy of the disk on a machine with another /etc/machine-id gets new \
            positions by itself. Where all copies have the same one, as containers of one image do, use --forget before the \
            disk is copied.

            Examples:
              bundlectl installation
              bundlectl installation --forget
            """
    )

    @Flag(help: "Discard the positions. The next check on each copy of the disk draws new ones.")
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

/// The result of `installation`.
struct InstallationSummary: Report {
    struct Position: Encodable {
        let name: String
        /// In percent, rounded down to hundredths.
        let position: Double
    }

    /// Nil when they were forgotten.
    let bundles: [Position]?

    init(positions: [(name: String, position: Double)]?) {
        bundles = positions?.map { Position(name: $0.name, position: ($0.position * 100).rounded(.down) / 100) }
    }

    var lines: [String] {
        guard let bundles else { return ["the positions are discarded; the next check draws new ones"] }
        return bundles.isEmpty ? ["no bundle is installed"] : bundles.map { "\($0.name): at \($0.position)%" }
    }
}
