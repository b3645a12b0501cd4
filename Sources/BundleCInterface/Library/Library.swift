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
