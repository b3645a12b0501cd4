import ArgumentParser
import BundleNetwork
import BundleServer
import BundleStore
import Foundation

struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List or clear the cached responses from the network.",
        discussion: """
            Example:
              bundlectl cache list
            """,
        subcommands: [CacheListing.self, CacheClearing.self]
    )
}

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
        let entries = try store.storedEntries(of: name, policy: caching.policy, now: Date())
        try output.console.report(CacheList(entries))
    }
}

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

/// The result of `cache list`.
struct CacheList: Report {
    /// One response.
    struct Entry: Encodable {
        let url: String
        let name: String
        let version: String
        let byteCount: Int64
        let storedAt: Date
        let status: Int?
        let mediaType: String?
        let secondsLeft: Int?
        let isOfflineCopy: Bool

        /// For how long it is fresh, as text.
        var freshness: String {
            guard !isOfflineCopy else { return "offline" }
            return secondsLeft.map { $0 >= 0 ? "\($0) s" : "no" } ?? "?"
        }
    }

    let responses: [Entry]

    init(_ entries: [StoredEntry]) {
        responses = entries.map { entry in
            Entry(
                url: entry.url,
                name: entry.release.name.string,
                version: entry.release.version.string,
                byteCount: entry.byteCount,
                storedAt: entry.storedAt,
                status: entry.status,
                mediaType: entry.mediaType,
                secondsLeft: entry.secondsLeft,
                isOfflineCopy: entry.isOfflineCopy
            )
        }
    }

    var lines: [String] {
        guard !responses.isEmpty else { return ["the cache is empty"] }
        return Table.lines(
            of: responses,
            [
                .left("BUNDLE") { "\($0.name)@\($0.version)" }, .right("STATUS") { $0.status.map(String.init) ?? "?" },
                .right("SIZE") { ByteCount.text($0.byteCount) }, .left("STORED") { Timestamp.text($0.storedAt) },
                .right("FRESH") { $0.freshness },
                .left("URL") { Printable.line($0.url) },
            ]
        )
    }
}

/// The result of `cache clear`.
struct CacheRemoval: Report {
    let count: Int
    let byteCount: Int64

    var lines: [String] {
        [
            count == 0
                ? "the cache was empty" : "removed \(Quantity.text(count, "response")), \(ByteCount.text(byteCount))"
        ]
    }
}
