import ArgumentParser
import BundleStore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read everything again and compare it with its digests.",
        discussion: """
            What is damaged is reported a line each, and the exit status is \(ExitStatus.badInput.rawValue).

            Example:
              bundlectl verify shop
            """
    )

    @Argument(help: "The bundle; all when none is named.")
    var name: BundleName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        let damage = try output.console.showingProgress("verifying") { bar in
            try store.verify(name) { bar.update(done: $0, total: $1) }
        }
        let releases = store.snapshot.sortedBundles.filter { name == nil || $0.name == name }.flatMap(\.releases)
        try output.console.report(VerificationSummary(damage, byteCounts: releases.map(\.byteCount)))
        for item in damage { Diagnostics.report("\(item)") }
        if !damage.isEmpty { throw EarlyEnd(status: .badInput) }
    }
}
