import ArgumentParser
import BundleStore

struct Prune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove old versions and free their space.",
        discussion: """
            Of each bundle the active version stays, and as many earlier ones as --keep says. A server that has a file open \
            goes on reading it.

            Example:
              bundlectl prune --keep 0
            """
    )

    @Option(help: ArgumentHelp("How many earlier versions of each bundle to keep.", valueName: "n"))
    var keep = 1

    @Flag(help: "Wait for another process that works on the store.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if keep < 0 { throw ValidationError("--keep must be 0 or more") }
    }

    func run() async throws {
        let store = try store.open()
        let report = try output.console.showingProgress("pruning") { bar in
            try store.prune(keeping: keep, waits: wait) { bar.update(done: $0, total: $1) }
        }
        try output.console.report(PruneSummary(report))
    }
}
