import BundleEmbedding
import BundleStore
public import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_trust(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let name = try CArgument.name(bundle)
        guard let trust = try client.wait({ _ in try await client.client.trust(of: name) }) else { return }
        ReportHandle.store(ReportHandle(trust), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_remove_trust(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, of: client, error) { client, name, _ in try await client.removeTrust(of: name) }
}

extension PublisherRoot {
    /// Takes a root from C.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` unless it is a root, or the digest of one.
    init(_ root: ob_root) throws(BundleError) {
        switch (root.document, root.sha256) {
        case (let document?, nil):
            try self.init(Array(UnsafeRawBufferPointer(start: document, count: root.length)))
        case (nil, let digest?):
            try self.init(sha256: CArgument.text(digest, "the digest of a root"))
        default:
            throw BundleError(.invalidArgument, "an ob_root has a document or its digest; set one of them")
        }
    }
}
