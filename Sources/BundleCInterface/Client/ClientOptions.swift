import BundleEmbedding
import BundleStore
import CBundle

/// How C wants a client to work.
struct ClientOptions {
    let configuration: BundleClient.Configuration
    let isOffline: Bool

    init(_ options: UnsafePointer<ob_options>?) throws(BundleError) {
        let defaults = ob_options(size: 0, flags: 0, is_metered: 0, cache_byte_count: -1, cached_body_byte_count: -1)
        let options =
            try options.map { options throws(BundleError) in
                try CArgument.structure(
                    options,
                    default: defaults,
                    minimum: MemoryLayout<ob_options>.size,
                    "ob_options"
                )
            } ?? defaults
        func has(_ flag: Int) -> Bool { options.flags & UInt32(flag) != 0 }
        var configuration = BundleClient.Configuration()
        configuration.coversAllOrigins = has(OB_COVERS_ALL_ORIGINS)
        configuration.isDevelopment = has(OB_DEVELOPMENT)
        configuration.countsUse = !has(OB_COUNTS_NOTHING)
        configuration.survivesFaults = !has(OB_NO_SIGNAL_HANDLER)
        configuration.link.isMetered = options.is_metered != 0
        if options.cache_byte_count >= 0 {
            configuration.cacheLimits = CacheLimits(maximumByteCount: options.cache_byte_count)
        }
        if options.cached_body_byte_count >= 0 {
            configuration.maximumCachedByteCount = options.cached_body_byte_count
        }
        self.configuration = configuration
        isOffline = has(OB_OFFLINE)
    }
}
