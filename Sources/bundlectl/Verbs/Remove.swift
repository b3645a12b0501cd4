import ArgumentParser
import BundleStore

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a version, or a bundle with all its versions.",
        discussion: """
            The active version can only be removed together with all others. “bundlectl prune” frees the space: all that no \
            version uses of a segment when that is more than half of it, the rest while the store exceeds its quota.

            Example:
              bundlectl remove shop@1.0.0
            """
    )

    @Argument(help: ArgumentHelp("The bundle, or one version of it.", valueName: "name[@version]"))
    var bundle: BundleReference

    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var dryRun: DryRunOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await dryRun.using(store) {
            try store.open(readsIndexes: true)
        } _: { store in
            let removed = try store.remove(bundle.name, bundle.version, waits: wait)
            // What isn't freed is no reason to fail: the removal is done.
            let kept = try? store.storageReport().deadByteCount
            try dryRun.report(RemovalSummary(bundle.name, removed, keptByteCount: kept ?? 0), to: output.console)
        }
    }
}

/// The result of `remove`.
struct RemovalSummary: Report {
    let name: String
    let versions: [String]
    /// What no version uses and pruning has yet to free, in bytes.
    let keptByteCount: Int64

    init(_ name: BundleName, _ versions: [BundleVersion], keptByteCount: Int64) {
        self.keptByteCount = keptByteCount
        self.name = name.string
        self.versions = versions.map(\.string)
    }

    var lines: [String] {
        // A release that can't be read has no version.
        let removed = "removed \(versions.isEmpty ? name : versions.map { "\(name)@\($0)" }.joined(separator: ", "))"
        guard keptByteCount > 0 else { return [removed] }
        return [
            removed,
            "not freed yet: \(ByteCount.text(keptByteCount)) that no version uses; “bundlectl prune” frees segments that are "
                + "more than half unused",
        ]
    }
}
