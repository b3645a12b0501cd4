import ArgumentParser
import BundleStore

struct CacheClearing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove the cached responses.",
        discussion: """
            Example:
              bundlectl cache clear shop
            """
    )

    @Argument(help: "The bundle for which they were fetched. Default: all.")
    var name: BundleName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        if let name { _ = try store.bundle(name) }
        let (count, byteCount) = try store.clearCache(of: name)
        try output.console.report(CacheRemoval(count: count, byteCount: byteCount))
    }
}
