import BundleStore
public import CBundle

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let version = CText(ProductVersion.string)

/// See `offline_bundles.h`.
@c @implementation
public func ob_abi_version() -> Int32 { OB_ABI_VERSION }

/// See `offline_bundles.h`.
@c @implementation
public func ob_version() -> UnsafePointer<CChar> { version.pointer }

/// See `offline_bundles.h`.
@c @implementation
public func ob_has_feature(_ feature: ob_feature) -> Bool {
    feature == OB_FEATURE_NETWORK && ClientNetwork.isAvailable
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_string_free(_ string: UnsafeMutablePointer<CChar>?) { free(string) }

/// A text for C, which lives as long as the object.
final class CText: @unchecked Sendable {
    // Never written to after the initializer.
    let pointer: UnsafePointer<CChar>

    init(_ text: String) {
        pointer = UnsafePointer(Self.copy(text))
    }

    deinit {
        free(UnsafeMutablePointer(mutating: pointer))
    }

    /// A copy that C frees with `ob_string_free`.
    static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
        let bytes = text.utf8
        let copy = UnsafeMutableRawBufferPointer(start: malloc(bytes.count + 1), count: bytes.count + 1)
        // As Swift's own allocations do when there is no memory.
        guard let start = copy.baseAddress else { fatalError("out of memory") }
        copy.copyBytes(from: bytes)
        copy[bytes.count] = 0
        return start.assumingMemoryBound(to: CChar.self)
    }
}
