import BundleEmbedding
import BundleStore
import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_bundles(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar> {
    CText.copy(Handle<ClientHandle>.object(client).client.store.snapshot.document.text)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_statistics(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<CChar>? {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        return CText.copy(try Waiting.run { _ in try await client.statistics(of: name) }.document.text)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_history(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<CChar>? {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        let events = try client.history(of: name).map(\.document)
        return CText.copy(JSONValue.members([("events", .array(events))]).text)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_traffic(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar> {
    let traffic = Handle<ClientHandle>.object(client).client.traffic
    return CText.copy(JSONValue.members([("hosts", .array(traffic.map(\.document)))]).text)
}
