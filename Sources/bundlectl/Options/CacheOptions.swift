import ArgumentParser
import BundleNetwork
import BundleServer
import BundleStore
import HTTPTypes

/// The rules by which an endpoint caches responses from the network.
struct CacheOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Cache by the rules for several users: nothing that is private to one of them. Default: the rules for one user."
        )
    )
    var sharedCache = false

    @Option(
        name: .customLong("targeted-cache-control"),
        help: ArgumentHelp(
            "Obey this response field, such as CDN-Cache-Control, in place of Cache-Control (RFC 9213); may be repeated, "
                + "the first that a response has counts.",
            valueName: "field"
        )
    )
    var targetedFields: [FieldName] = []

    @Option(
        help: ArgumentHelp(
            "The largest size of cached responses on the disk: 500MB, 20GB. Default: 512 MiB.",
            valueName: "size"
        )
    )
    var cacheSize: ByteCountArgument?

    @Option(
        help: ArgumentHelp(
            "The most memory for cached responses that are used: 64MB, 1GB. Default: 64 MiB.",
            valueName: "size"
        )
    )
    var cacheMemory: ByteCountArgument?

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
