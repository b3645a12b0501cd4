import BundleEmbedding
import BundleStore
import CBundle

/// How C wants a client to work.
struct ClientOptions {
    let configuration: BundleClient.Configuration
    let isOffline: Bool

    init(_ options: UnsafePointer<ob_options>?) throws(BundleError) {
        let defaults = ob_options(
            size: 0,
            flags: 0,
            is_metered: 0,
            cache_byte_count: -1,
            cached_body_byte_count: -1,
            shell_version: nil,
            activation: nil
        )
        let options =
            try options.map { options throws(BundleError) in
                try CArgument.structure(
                    options,
                    default: defaults,
                    minimum: MemoryLayout<ob_options>.offset(of: \.shell_version) ?? MemoryLayout<ob_options>.size,
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
        configuration.updates.shellVersion = try options.shell_version.map { text throws(BundleError) in
            try CArgument.version(text)
        }
        if let activation = options.activation { configuration.updates.activation = try Self.activation(activation) }
        self.configuration = configuration
        isOffline = has(OB_OFFLINE)
    }

    private static func activation(_ pointer: UnsafePointer<CChar>) throws(BundleError) -> ActivationMode {
        let text = try CArgument.text(pointer, "when updates become active")
        guard let mode = ActivationMode(rawValue: text) else {
            let modes = ActivationMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw BundleError(.invalidArgument, "“\(Printable.text(text))” is none of \(modes); correct it")
        }
        return mode
    }
}
