import BundleEmbedding
import BundleStore
public import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_hold(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, of: client, error) { client, name, _ in try await client.setHold(true, name) }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_unhold(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, of: client, error) { client, name, _ in try await client.setHold(false, name) }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_retry(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, of: client, error) { client, name, _ in try await client.retry(name) }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_confirm(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, version, of: client, error) { client, name, version in
        try await client.confirm(name, version)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_mark_bad(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>,
    _ reason: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let (version, reason) = (try CArgument.version(version), try CArgument.text(reason, "the reason"))
        _ = try Waiting.run { _ in try await client.markBad(name, version, reason: reason) }
    }
}
