import BundleEmbedding
import BundleStore
import CBundle

#if os(Linux)
    import BundleTar
#endif

/// How C wants a client to work.
struct ClientOptions {
    let configuration: BundleClient.Configuration
    let transport: (any OriginTransport)?
    /// Nil when messages aren't wanted.
    let log: ClientLog?

    /// - Parameter callbacks: Those of the client.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument`, or `inputUnavailable` for a file, when the client can't work
    ///   in this way.
    init(_ pointer: UnsafePointer<ob_options>?, _ callbacks: ClientCallbacks) throws(BundleError) {
        guard let pointer else {
            configuration = Self.defaults
            transport = try ClientNetwork.transport(nil)
            log = nil
            return
        }
        let options = try CArgument.structure(pointer, "ob_options")
        var configuration = try Self.configuration(options)
        let transport = try Self.transport(options, callbacks)
        // Last: it has to be closed.
        log = try options.log.map { log throws(BundleError) in
            try ClientLog(log, options.log_context, from: options.log_level, callbacks)
        }
        if let log { configuration.damageHandler = { log.note(OB_LOG_ERROR, $0.description) } }
        self.transport = log.flatMap { log in transport.map { ReportingTransport(base: $0, log: log) } } ?? transport
        self.configuration = configuration
    }

    private static var defaults: BundleClient.Configuration {
        var configuration = BundleClient.Configuration()
        #if os(Linux)
            configuration.archiveFormats = .zipAndTar
        #endif
        configuration.link = NetworkLink()
        return configuration
    }

    private static func configuration(_ options: ob_options) throws(BundleError) -> BundleClient.Configuration {
        var configuration = defaults
        configuration.coversAllOrigins = options.has(OB_COVERS_ALL_ORIGINS)
        configuration.isDevelopment = options.has(OB_DEVELOPMENT)
        configuration.countsUse = !options.has(OB_COUNTS_NOTHING)
        if options.has(OB_NO_SIGNAL_HANDLER) { configuration.survivesFaults = false }
        configuration.link = NetworkLink(isMetered: options.is_metered != 0)
        if options.cache_byte_count > 0 {
            configuration.cacheLimits = CacheLimits(maximumByteCount: Int64(clamping: options.cache_byte_count))
        }
        if options.cached_body_byte_count > 0 {
            configuration.maximumCachedByteCount = Int64(clamping: options.cached_body_byte_count)
        }
        if options.has(OB_NO_CACHE) {
            configuration.cacheLimits = CacheLimits(maximumByteCount: 0)
            configuration.maximumCachedByteCount = 0
        }
        configuration.updates.shellVersion = try options.shell_version.map { text throws(BundleError) in
            try CArgument.version(text)
        }
        configuration.updates.requiresTrust = options.has(OB_REQUIRES_TRUST)
        // NULL has no elements, also with another number.
        for root in UnsafeBufferPointer(start: options.roots, count: options.roots == nil ? 0 : options.root_count) {
            configuration.updates.roots[try CArgument.name(root.bundle)] = try PublisherRoot(root)
        }
        if let groups = options.groups { configuration.updates.groups = try Self.groups(groups) }
        if let mode = options.activation { configuration.updates.activation = try activation(mode) }
        return configuration
    }

    private static func transport(
        _ options: ob_options,
        _ callbacks: ClientCallbacks
    ) throws(BundleError) -> (any OriginTransport)? {
        let transport: (any OriginTransport)?
        if let program = options.transport {
            guard options.network == nil else {
                throw BundleError(
                    .invalidArgument,
                    "a transport of the program's own has no ob_network; leave one of them out"
                )
            }
            transport = try ProgramTransport(program, callbacks)
        } else {
            let network = try options.network.map { network throws(BundleError) in
                try CArgument.structure(network, "ob_network")
            }
            transport = try ClientNetwork.transport(network)
        }
        return options.has(OB_OFFLINE) ? nil : transport
    }

    private static func groups(_ pointer: UnsafePointer<CChar>) throws(BundleError) -> Set<String> {
        let names = try CArgument.text(pointer, "the groups").split(separator: ",", omittingEmptySubsequences: false)
        for name in names where !BundleManifest.isChannel(String(name)) {
            throw BundleError(.invalidArgument, "“\(Printable.text(String(name)))” is not a group's name; correct it")
        }
        return Set(names.map(String.init))
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

extension ob_options {
    fileprivate func has(_ flag: Int) -> Bool { flags & UInt32(flag) != 0 }
}
