import ArgumentParser
import BundleStore

struct Quota: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Show or set how many bytes the store may have.",
        discussion: """
            It counts segments, indexes and the cache, and what is being fetched. An install that would exceed it gives up \
            cached responses, then earlier versions that aren't pinned, the one that was active until then only with \
            --keep 0, and is refused when that doesn't suffice.

            Examples:
              bundlectl quota
              bundlectl quota 500MB
              bundlectl quota none
            """
    )

    @Argument(
        help: ArgumentHelp("The quota: 500MB, 2GB, or none; shown when it isn't given.", valueName: "size"),
        transform: QuotaArgument.parse
    )
    var quota: QuotaArgument?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        if let quota { try store.setQuota(quota.byteCount) }
        try output.console.report(QuotaSummary(store.storageUse()))
    }
}
