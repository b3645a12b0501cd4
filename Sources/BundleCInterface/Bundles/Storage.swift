import BundleEmbedding
import BundleStore
public import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_pin(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, version, of: client, error) { client, name, version in
        if let version { try await client.pin(name, version: version) }
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_unpin(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, version, of: client, error) { client, name, version in
        if let version { try await client.unpin(name, version: version) }
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_quota(_ client: OpaquePointer, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> OpaquePointer? {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        Handle.make(ReportHandle(try client.wait { _ in try await client.client.storageUse() }))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_set_quota(
    _ client: OpaquePointer,
    _ byte_count: UInt64,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    let quota = byte_count == 0 ? nil : Int64(clamping: byte_count)
    return reporting(error) { try client.wait { _ in try await client.client.setQuota(quota) } }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_prune(
    _ client: OpaquePointer,
    _ kept_count: UInt32,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let pruned = try client.wait(for: "pruning") { _ in try await client.client.prune(keeping: Int(kept_count)) }
        ReportHandle.store(ReportHandle(PruningReport(pruned, message: \.description)), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_clear_cache(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        _ = try client.wait { _ in try await client.client.clearCache(of: name) }
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_verify(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ progress: ob_progress_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let progress = ProgressCallback(progress, context)
    return verifying(bundle, of: client, report, error) { client, name, call in
        (try await client.verify(name) { progress.report($0, call) }, nil)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_repair(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>?,
    _ progress: ob_progress_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let progress = ProgressCallback(progress, context)
    return verifying(bundle, of: client, report, error) { client, name, call in
        let repair = try await client.repair(name) { progress.report($0, call) }
        return (repair.damage.map(\.afterRepair), repair)
    }
}

/// Verifies a bundle, or all, and waits for it.
///
/// - Parameter work: Returns the damage that is left, and what was repaired.
private func verifying(
    _ bundle: UnsafePointer<CChar>?,
    of client: OpaquePointer,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: ErrorPlace?,
    _ work:
        @escaping @Sendable (BundleClient, BundleName?, WaitingCall<VerificationReport>) async throws
        -> ([StoreDamage], RepairReport?)
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let name = try bundle.map { try CArgument.name($0) }
        let result = try client.wait(for: "the verification") { call in
            let (damage, repair) = try await work(client.client, name, call)
            return try VerificationReport(
                damage,
                repair: repair,
                of: name,
                in: client.client.store,
                message: \.description
            )
        }
        ReportHandle.store(ReportHandle(result), at: report)
    }
}
