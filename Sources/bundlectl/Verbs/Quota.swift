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
