import ArgumentParser
import BundleServer
import BundleStore
import Foundation

struct CacheListing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the cached responses, the latest first.",
        discussion: """
            Example:
              bundlectl cache list shop
            """
    )

    @Argument(help: "The bundle for which they were fetched. Default: all.")
    var name: BundleName?

    @OptionGroup var caching: CacheOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try store.open()
        if let name { _ = try store.bundle(name) }
        let responses = try store.cachedResponses().filter { name == nil || $0.bundle == name }
        try output.console.report(CacheList(responses, policy: caching.policy, now: Date()))
    }
}
