import ArgumentParser
import BundleServing
import BundleStore

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the bundles and their versions.",
        discussion: """
            The active version is served; retained ones are kept for rollback; installed ones were never activated. \
            Updates leave a bundle on hold as it is, and install nothing of one up to the version that is held back.

            Example:
              bundlectl list --json
            """
    )

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open(readsIndexes: true)
        let snapshot = store.snapshot
        output.console.warn(snapshot.damage.map(Advice.line) + snapshot.degradations)
        let states = try snapshot.bundles.keys.compactMap { name in try store.updateState(of: name).map { (name, $0) } }
        try output.console.report(BundleList(snapshot, states: Dictionary(uniqueKeysWithValues: states)))
    }
}

/// The result of `list`.
struct BundleList: Report {
    /// A bundle and its versions.
    struct Entry: Encodable {
        let name: String
        let active: String?
        /// The bundle's own host on this machine; nil when its name is too long for one.
        let host: String?
        /// The version that is served: another one than the active version if that can't be opened.
        let serving: String?
        /// Whether updates leave it as it is.
        let isOnHold: Bool
        /// The version that updates must exceed; nil when that is the active one.
        let held: String?
        /// The version that becomes active later; nil when there is none.
        let pending: String?
        /// When it does.
        let activation: String?
        /// Whether the active version has yet to be confirmed.
        let isOnProbation: Bool
        /// Why nothing of the active version is used; nil when it is.
        let withdrawn: String?
        /// The version that was shipped with an app; nil when there is none.
        let seed: String?
        let versions: [ReleaseSummary]
    }

    let bundles: [Entry]

    /// - Parameter states: What is remembered of the bundles' updates.
    init(_ snapshot: StoreSnapshot, states: [BundleName: UpdateState]) {
        bundles = snapshot.sortedBundles.map { bundle in
            Entry(
                name: bundle.name.string,
                active: bundle.activeVersion?.string,
                host: LocalHost.name(of: bundle.name),
                serving: bundle.serving.flatMap { $0.isReadable ? $0.version.string : nil },
                isOnHold: states[bundle.name]?.isOnHold ?? false,
                held: states[bundle.name]?.heldVersion?.string,
                pending: bundle.lifecycle.pending?.version.string,
                activation: bundle.lifecycle.pending?.mode.rawValue,
                isOnProbation: bundle.probationTerms != nil,
                withdrawn: bundle.withdrawal?.reason.rawValue,
                seed: bundle.releases.first { bundle.isSeed($0.version) }?.version.string,
                versions: bundle.summaries
            )
        }
    }

    var lines: [String] {
        guard !bundles.isEmpty else { return ["no bundles"] }
        return Table.lines(
            of: bundles.flatMap { bundle in bundle.versions.map { (bundle: bundle, release: $0) } },
            [
                .left("NAME") { $0.bundle.name }, .left("VERSION") { $0.release.version },
                .left("STATE") { $0.bundle.stateText(of: $0.release) },
                .right("FILES") { String($0.release.fileCount) },
                .right("SIZE") { ByteCount.text($0.release.byteCount) },
                .left("INSTALLED") { Timestamp.text($0.release.installedAt) },
                .left("HOST") { $0.release.isActive ? $0.bundle.host ?? "none" : "" },
            ]
        )
    }
}

extension ReleaseSummary {
    fileprivate var isActive: Bool { state == ReleaseState.active.rawValue }
}

extension BundleList.Entry {
    /// The state of one of its versions, with what is special about it.
    fileprivate func stateText(of release: ReleaseSummary) -> String {
        release.stateText + (release.withdrawn.map { ", not used (\($0))" } ?? "") + (release.isActive ? remark : "")
            + remark(on: release.version)
    }

    /// What keeps updates from installing something.
    private var remark: String {
        let probation = isOnProbation ? ", to be confirmed" : ""
        let hold = (isOnHold ? ", on hold" : "") + (held.map { ", held back up to \($0)" } ?? "")
        return probation + hold
    }

    /// What is special about one of its versions.
    private func remark(on version: String) -> String {
        (version == seed ? ", shipped" : "") + (version == pending ? ", active \(activation ?? "later")" : "")
    }
}
