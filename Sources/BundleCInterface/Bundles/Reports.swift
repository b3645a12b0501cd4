import BundleEmbedding
import BundleInstall
import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage
import CBundle
import Foundation

/// See `offline_bundles.h`.
@c @implementation
public func ob_bundles(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar> {
    CText.copy(of: [
        "bundles": Handle<ClientHandle>.object(client).client.store.snapshot.sortedBundles.map(BundleReport.init)
    ])
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
        return CText.copy(of: try Waiting.run { _ in try await client.statistics(of: name) })
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
        return CText.copy(of: ["events": try client.store.history(of: name)])
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_traffic(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar> {
    CText.copy(of: ["hosts": Handle<ClientHandle>.object(client).client.traffic])
}
