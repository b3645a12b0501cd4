import ArgumentParser
import BundleNetwork
import BundleServer
import BundleStore
import HTTPTypes

/// The rules by which an endpoint caches responses from the network.
struct CacheOptions: ParsableArguments {
    static let options = [sharedCache, targetedFields, cacheSize, cacheMemory]

    private static let sharedCache = ConfigurableOption.flag(
        "shared-cache",
        "Cache by the rules for several users: nothing that is private to one of them. Default: the rules for one user."
    )
    @Flag(Self.sharedCache) var sharedCache = false

    private static let targetedFields = ConfigurableOption.list(
        "targeted-cache-control",
        "Obey this response field, such as CDN-Cache-Control, in place of Cache-Control (RFC 9213); may be repeated, "
            + "the first that a response has counts.",
        value: "field"
    )
    @Option(Self.targetedFields) var targetedFields: [FieldName] = []

    private static let cacheSize = ConfigurableOption(
        "cache-size",
        "The largest size of cached responses on the disk: 500MB, 20GB.",
        value: "size",
        default: "\(CacheLimits().maximumByteCount >> 20) MiB"
    )
    @Option(Self.cacheSize) var cacheSize: ByteCountArgument?

    private static let cacheMemory = ConfigurableOption(
        "cache-memory",
        "The most memory for cached responses that are used: 64MB, 1GB.",
        value: "size",
        default: "\(BundleEndpoint.Configuration().cacheMemoryByteCount >> 20) MiB"
    )
    @Option(Self.cacheMemory) var cacheMemory: ByteCountArgument?

    /// How much is kept on the disk.
    var limits: CacheLimits { cacheSize.map { CacheLimits(maximumByteCount: $0.byteCount) } ?? CacheLimits() }

    /// Why these rules may be the wrong ones; nil when they suit the address.
    func warning(listeningOn address: ListenAddress) -> String? {
        guard !sharedCache, let host = address.reachableHost else { return nil }
        return "other machines can reach \(host), and the cache follows the rules for one user; if several people use "
            + "it, give --shared-cache"
    }

    /// The rules.
    var policy: CachePolicy {
        CachePolicy(isShared: sharedCache, targetedFields: targetedFields.map(\.name))
    }
}

/// The name of a response field that has cache directives of its own.
struct FieldName: ExpressibleByArgument {
    let name: HTTPField.Name

    /// Nil for what is no name, and for Cache-Control, whose syntax is another one.
    init?(argument: String) {
        guard let name = HTTPField.Name(argument), name != .cacheControl else { return nil }
        self.name = name
    }
}
