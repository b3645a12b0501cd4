import ArgumentParser
import BundleStore

struct Quota: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Show or set the store's largest size.",
        discussion: """
            The quota counts segments, indexes, the cache, and downloads in progress. An install that would exceed it first \
            removes cached responses, then earlier versions that aren't pinned, and the previously active one only \
            with --keep 0. It is refused when that doesn't suffice.

            Examples:
              bundlectl quota
              bundlectl quota 500MB
              bundlectl quota none
            """
    )

    @Argument(
        help: ArgumentHelp("The quota: 500MB, 2GB, or none. Default: show it.", valueName: "size"),
        transform: OptionalByteCountArgument.parse
    )
    var quota: OptionalByteCountArgument?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        if let quota { try store.setQuota(quota.byteCount) }
        let use = try store.storageUse()
        if quota != nil { output.console.warn(QuotaSummary.warnings(use)) }
        try output.console.report(QuotaSummary(use))
    }
}

/// The result of `quota`.
struct QuotaSummary: Report {
    private let use: StorageUse

    init(_ use: StorageUse) {
        self.use = use
    }

    func encode(to encoder: any Encoder) throws { try use.encode(to: encoder) }

    /// What follows from a quota below what is in use; nothing is removed by setting it.
    static func warnings(_ use: StorageUse) -> [String] {
        guard let quota = use.quota, use.byteCount > quota else { return [] }
        let excess = use.byteCount - quota
        let state = "the quota is \(ByteCount.text(quota)), and \(ByteCount.text(use.byteCount)) are in use"
        guard excess > use.removableByteCount else {
            return [
                "\(state): the next install or update removes \(ByteCount.text(excess)) or more, cached responses first, then "
                    + "earlier versions that aren't pinned; raise the quota to keep them"
            ]
        }
        return [
            "\(state), of which \(ByteCount.text(use.removableByteCount)) can be removed: installs and updates are refused; "
                + "raise the quota, or remove or unpin versions"
        ]
    }

    var lines: [String] {
        KeyValueList.lines([
            ("quota", use.quota.map(ByteCount.text) ?? "none"), ("in use", ByteCount.text(use.byteCount)),
            ("removable", ByteCount.text(use.removableByteCount)),
        ])
    }
}
