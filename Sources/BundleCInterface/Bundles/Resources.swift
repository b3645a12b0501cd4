import BundleEmbedding
import BundleServing
import BundleStore
public import CBundle
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// See `offline_bundles.h`.
@c @implementation
public func ob_resolve(_ client: OpaquePointer, _ url: UnsafePointer<CChar>) -> OpaquePointer? {
    let bytes = UnsafeRawBufferPointer(start: url, count: strlen(url))
    return Handle<ClientHandle>.object(client).client.resolve(bytes).map { Handle.make(ResourceHandle($0)) }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_covers(_ client: OpaquePointer, _ url: UnsafePointer<CChar>) -> Bool {
    String(validatingCString: url).map(Handle<ClientHandle>.object(client).client.covers) ?? false
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_bytes(
    _ resource: OpaquePointer,
    _ length: UnsafeMutablePointer<Int>
) -> UnsafeRawPointer? {
    // The handle keeps the mapping.
    Handle<ResourceHandle>.object(resource).resource.contents.withUnsafeBytes { bytes in
        length.pointee = bytes.count
        return bytes.baseAddress
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_read(
    _ resource: OpaquePointer,
    _ offset: UInt64,
    _ buffer: UnsafeMutableRawPointer?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let resource = Handle<ResourceHandle>.object(resource).resource
    count.pointee = 0
    return reporting(error) {
        let contents = resource.contents
        let start = Int(clamping: min(offset, UInt64(contents.count)))
        let part = contents[start..<start + min(max(capacity, 0), contents.count - start)]
        guard let buffer, part.count > 0 else { return }
        part.withUnsafeBytes {
            buffer.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(buffer), byteCount: $0.count)
        }
        guard !resource.hasFaulted else {
            throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
        }
        count.pointee = part.count
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_has_faulted(_ resource: OpaquePointer) -> Bool {
    Handle<ResourceHandle>.object(resource).resource.hasFaulted
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_media_type(_ resource: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResourceHandle>.object(resource).text(.mediaType)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_path(_ resource: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResourceHandle>.object(resource).text(.path)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_bundle(_ resource: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResourceHandle>.object(resource).text(.bundle)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_version(_ resource: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResourceHandle>.object(resource).text(.version)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_digest(_ resource: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResourceHandle>.object(resource).text(.digest)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_retain(_ resource: OpaquePointer) -> OpaquePointer {
    Handle<ResourceHandle>.retain(resource)
    return resource
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_resource_free(_ resource: OpaquePointer?) { Handle<ResourceHandle>.release(resource) }

/// What an `ob_resource` is. Thread-safe.
final class ResourceHandle: Sendable {
    /// A text about the file.
    enum Detail {
        case mediaType, path, bundle, version, digest
    }

    let resource: Resource
    // An initialiser, since a literal is made by code for any dictionary, which takes 50 ns.
    private let texts = Mutex([Detail: CText]())

    init(_ resource: Resource) {
        self.resource = resource
    }

    /// A text that lives as long as the handle. It is made on first use: most programs need few of them.
    func text(_ detail: Detail) -> UnsafePointer<CChar> {
        texts.withLock { texts in
            if let text = texts[detail] { return text.pointer }
            let text = CText(string(detail))
            texts[detail] = text
            return text.pointer
        }
    }

    private func string(_ detail: Detail) -> String {
        switch detail {
        case .mediaType: resource.mediaType
        case .path: resource.asset.path
        case .bundle: resource.asset.release.name.string
        case .version: resource.asset.release.version.string
        case .digest: resource.asset.digest.hex
        }
    }
}
