import BundleEmbedding
import BundleStore
public import CBundle

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
