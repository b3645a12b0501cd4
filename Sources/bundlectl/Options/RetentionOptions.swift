import ArgumentParser
import BundleStore

/// How many earlier versions stay when a new one answers.
struct RetentionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How many earlier versions of each bundle to keep, besides pinned ones.", valueName: "n")
    )
    var keep = 1

    func validate() throws {
        if keep < 0 { throw ValidationError("--keep must be 0 or more") }
    }

    /// Removes what is superfluous now. The new versions are there whether or not that succeeds, so a failure is a warning.
    func apply(to names: Set<BundleName>, in store: BundleStore, waits: Bool, console: Console) {
        guard !names.isEmpty else { return }
        do {
            let report = try store.pruneUnlessBusy(keeping: keep, of: names, waits: waits)
            console.warn(report?.warnings ?? [])
        } catch {
            console.warn(["earlier versions were not removed: \(error)"])
        }
    }
}
