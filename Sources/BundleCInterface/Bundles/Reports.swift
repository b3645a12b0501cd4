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
public func ob_bundles(_ client: OpaquePointer) -> OpaquePointer {
    let bundles = Handle<ClientHandle>.object(client).client.store.snapshot.sortedBundles
    return Handle.make(ReportHandle(bundles.map(BundleReport.init)))
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_statistics(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        return Handle.make(ReportHandle(try client.wait { _ in try await client.client.statistics(of: name) }))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_history(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        return Handle.make(ReportHandle(["events": try client.store.history(of: name)]))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_traffic(_ client: OpaquePointer) -> OpaquePointer {
    Handle.make(ReportHandle(["hosts": Handle<ClientHandle>.object(client).client.traffic]))
}
