import BundleEmbedding
import BundleStore
public import CBundle
import Synchronization

#if os(Linux)
    import BundleTar
#endif

/// See `offline_bundles.h`.
@c @implementation
public func ob_open(
    _ path: UnsafePointer<CChar>,
    _ options: UnsafePointer<ob_options>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) {
        let options = try ClientOptions(options)
        let client = try BundleClient(
            at: try CArgument.text(path, "the store's path"),
            transport: options.isOffline ? nil : ClientNetwork.transport(),
            configuration: options.configuration
        )
        return Handle.make(ClientHandle(client))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_close(_ client: OpaquePointer?) {
    guard let client else { return }
    Handle<ClientHandle>.object(client).close()
    Handle<ClientHandle>.release(client)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_metered(_ client: OpaquePointer, _ is_metered: Bool) {
    Handle<ClientHandle>.object(client).client.link.isMetered = is_metered
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_link_up(_ client: OpaquePointer, _ is_up: Bool) {
    Handle<ClientHandle>.object(client).client.link.isUp = is_up
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_rules(
    _ client: OpaquePointer,
    _ json: UnsafePointer<CChar>?,
    _ folder: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let folder = try folder.map { try CArgument.text($0, "the folder of the mocks") } ?? ""
        client.rules =
            try json.map { json in
                let text = try CArgument.text(json, "the list of rules")
                return try CommonRules.parse(Array(text.utf8), named: "ob_set_rules", mocksIn: folder).rules
            } ?? CommonRules()
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_refresh(_ client: OpaquePointer) { Handle<ClientHandle>.object(client).client.refresh() }

/// What an `ob_client` is. Thread-safe.
final class ClientHandle: Sendable {
    let client: BundleClient
    private let closed = Atomic(false)

    init(_ client: BundleClient) {
        self.client = client
    }

    /// Ends what runs.
    func close() {
        closed.store(true, ordering: .releasing)
        client.close()
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` once the client is closed.
    func checkOpen() throws(BundleError) {
        guard !closed.load(ordering: .acquiring) else {
            throw BundleError(.storeUnavailable, "the client of the store has been closed; open another one")
        }
    }
}

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
        #if os(Linux)
            configuration.archiveFormats = .zipAndTar
        #endif
        configuration.coversAllOrigins = has(OB_COVERS_ALL_ORIGINS)
        configuration.isDevelopment = has(OB_DEVELOPMENT)
        configuration.countsUse = !has(OB_COUNTS_NOTHING)
        configuration.survivesFaults = !has(OB_NO_SIGNAL_HANDLER)
        configuration.link = NetworkLink(isMetered: options.is_metered != 0)
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
