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
        let bundle: BundleReport
        /// The bundle's own host on this machine; nil when its name is too long for one.
        let host: String?
        /// Whether updates leave it as it is.
        let isOnHold: Bool
        /// The version that updates must exceed; nil when that is the active one.
        let held: BundleVersion?

        private enum CodingKeys: CodingKey {
            case host, isOnHold, held
        }

        func encode(to encoder: any Encoder) throws {
            try bundle.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(host, forKey: .host)
            try container.encode(isOnHold, forKey: .isOnHold)
            try container.encodeIfPresent(held, forKey: .held)
        }
    }

    let bundles: [Entry]

    /// - Parameter states: What is remembered of the bundles' updates.
    init(_ snapshot: StoreSnapshot, states: [BundleName: UpdateState]) {
        bundles = snapshot.sortedBundles.map { bundle in
            Entry(
                bundle: BundleReport(bundle),
                host: LocalHost.name(of: bundle.name),
                isOnHold: states[bundle.name]?.isOnHold ?? false,
                held: states[bundle.name]?.heldVersion
            )
        }
    }

    var lines: [String] {
        guard !bundles.isEmpty else { return ["no bundles"] }
        return Table.lines(
            of: bundles.flatMap { entry in entry.bundle.versions.map { (entry: entry, release: $0) } },
            [
                .left("NAME") { $0.entry.bundle.name.string }, .left("VERSION") { $0.release.version.string },
                .left("STATE") { $0.entry.stateText(of: $0.release) },
                .right("FILES") { String($0.release.fileCount) },
                .right("SIZE") { ByteCount.text($0.release.byteCount) },
                .left("INSTALLED") { Timestamp.text($0.release.installedAt) },
                .left("HOST") { $0.release.state == .active ? $0.entry.host ?? "none" : "" },
            ]
        )
    }
}

extension BundleList.Entry {
    /// The state of one of its versions, with what is special about it.
    fileprivate func stateText(of release: ReleaseReport) -> String {
        release.stateText + (release.withdrawn.map { ", not used (\($0.rawValue))" } ?? "")
            + (release.state == .active ? remark : "") + remark(on: release.version)
    }

    /// What keeps updates from installing something.
    private var remark: String {
        let probation = bundle.isOnProbation ? ", to be confirmed" : ""
        let hold = (isOnHold ? ", on hold" : "") + (held.map { ", held back up to \($0)" } ?? "")
        return probation + hold
    }

    /// What is special about one of its versions.
    private func remark(on version: BundleVersion) -> String {
        (version.string == bundle.seed?.string ? ", shipped" : "")
            + (version.string == bundle.pending?.string ? ", active \(bundle.activation?.rawValue ?? "later")" : "")
    }
}
