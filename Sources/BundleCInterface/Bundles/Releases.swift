import BundleEmbedding
import BundleInstall
import BundleStore
public import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_install(
    _ client: OpaquePointer,
    _ archive: UnsafePointer<CChar>,
    _ flags: ob_install_flags,
    _ progress: ob_progress_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    let progress = ProgressCallback(progress, context)
    report?.pointee = nil
    return reporting(error) {
        let archive = try CArgument.text(archive, "the archive's path")
        let result = try client.wait(for: "the installation of \(archive)") { call in
            try await client.client.install(archive: archive, options: InstallOptions(flags)) {
                progress.report($0, call)
            }
        }
        client.log?.note(result)
        ReportHandle.store(ReportHandle(result), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_seed(
    _ client: OpaquePointer,
    _ archive: UnsafePointer<CChar>,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    report?.pointee = nil
    return reporting(error) {
        let archive = try CArgument.text(archive, "the archive's path")
        let seed = try client.wait(for: "the installation of \(archive)") { _ in
            try await client.client.seed(archive: archive)
        }
        guard let seed else { return }
        client.log?.note(seed)
        ReportHandle.store(ReportHandle(seed), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_install_from_feed(
    _ client: OpaquePointer,
    _ feed: UnsafePointer<CChar>,
    _ channel: UnsafePointer<CChar>?,
    _ progress: ob_progress_callback?,
    _ context: UnsafeMutableRawPointer?,
    _ report: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    let progress = ProgressCallback(progress, context)
    report?.pointee = nil
    return reporting(error) {
        let feed = try CArgument.url(feed, "the feed's URL")
        let channel = try channel.map { try CArgument.text($0, "the channel") }
        let result = try client.wait(for: "the installation of \(feed.reported)") { call in
            try await client.client.install(feed: feed, channel: channel) { progress.report($0, call) }
        }
        client.log?.note(result)
        ReportHandle.store(ReportHandle(result), at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_activate(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let (name, version) = (try CArgument.name(bundle), try CArgument.version(version))
        try client.wait { _ in try await client.client.activate(name, version: version) }
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_roll_back(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    version?.pointee = nil
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let active = try client.wait { _ in try await client.client.rollBack(name).to }
        version?.pointee = CText.copy(active.string)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_roll_back_to(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, version, of: client, error) { client, name, version in
        try await client.rollBack(name, to: version)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_remove(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, version, of: client, error) { client, name, version in
        try await client.remove(name, version: version)
    }
}

extension InstallOptions {
    fileprivate init(_ flags: ob_install_flags) {
        self.init()
        activates = flags & UInt32(OB_INSTALL_INACTIVE) == 0
        replaces = flags & UInt32(OB_INSTALL_REPLACING) != 0
        waits = flags & UInt32(OB_INSTALL_WAITING) != 0
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_hold(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, of: client, error) { client, name, _ in try await client.hold(name) }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_unhold(
    _ client: OpaquePointer,
    _ bundle: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    changing(bundle, of: client, error) { client, name, _ in try await client.unhold(name) }
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
        try await client.confirm(name, version: version)
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
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let (version, reason) = (try CArgument.version(version), try CArgument.text(reason, "the reason"))
        _ = try client.wait { _ in try await client.client.markBad(name, version: version, reason: reason) }
    }
}

/// Changes something of a bundle, and waits for it: the body of the functions that return nothing but a status.
///
/// - Parameters:
///   - version: The version that it is about; nil for none.
///   - change: Gets the version that was passed.
func changing(
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>? = nil,
    of client: OpaquePointer,
    _ error: ErrorPlace?,
    _ change: @escaping @Sendable (BundleClient, BundleName, BundleVersion?) async throws -> Void
) -> ob_status {
    let client = Handle<ClientHandle>.object(client)
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let version = try version.map { try CArgument.version($0) }
        try client.wait { _ in try await change(client.client, name, version) }
    }
}
