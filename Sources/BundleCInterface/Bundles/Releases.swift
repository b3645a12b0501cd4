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
    _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    let progress = ProgressCallback(progress, context)
    report?.pointee = nil
    return reporting(error) {
        let archive = try CArgument.text(archive, "the archive's path")
        let result = try Waiting.run { waiting in
            try await client.install(archive: archive, options: InstallOptions(flags)) { bytes in
                progress.report(bytes, cancel: waiting.cancel)
            }
        }
        CText.store(result.document, at: report)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_seed(
    _ client: OpaquePointer,
    _ archive: UnsafePointer<CChar>,
    _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    report?.pointee = nil
    return reporting(error) {
        let archive = try CArgument.text(archive, "the archive's path")
        guard let result = try Waiting.run({ _ in try await client.seed(archive: archive) }) else { return }
        CText.store(result.document, at: report)
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
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let (name, version) = (try CArgument.name(bundle), try CArgument.version(version))
        try Waiting.run { _ in try await client.activate(name, version) }
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
    let client = Handle<ClientHandle>.object(client).client
    version?.pointee = nil
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let active = try Waiting.run { _ in try await client.rollBack(name).to }
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
        try await client.remove(name, version)
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
