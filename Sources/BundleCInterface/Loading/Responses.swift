import BundleServing
import BundleStore
import CBundle
import HTTPTypes

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_status(_ response: OpaquePointer) -> Int32 {
    Int32(Handle<ResponseHandle>.object(response).head.status.code)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field_count(_ response: OpaquePointer) -> Int {
    Handle<ResponseHandle>.object(response).fieldCount
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field_name(_ response: OpaquePointer, _ index: Int) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).field(at: index)?.name
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field_value(_ response: OpaquePointer, _ index: Int) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).field(at: index)?.value
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field(_ response: OpaquePointer, _ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>? {
    String(validatingCString: name).flatMap { HTTPField.Name($0) }
        .flatMap(Handle<ResponseHandle>.object(response).value)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_source(_ response: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResponseHandle>.object(response).layer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_bundle(_ response: OpaquePointer) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).bundle
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_version(_ response: OpaquePointer) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).version
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_body(_ response: OpaquePointer, _ length: UnsafeMutablePointer<Int>) -> UnsafeRawPointer? {
    // The handle keeps the bytes.
    Handle<ResponseHandle>.object(response).bytes.withUnsafeBytes { bytes in
        length.pointee = bytes.count
        return bytes.baseAddress
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_has_faulted(_ response: OpaquePointer) -> Bool {
    Handle<ResponseHandle>.object(response).hasFaulted
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_retain(_ response: OpaquePointer) -> OpaquePointer {
    Handle<ResponseHandle>.retain(response)
    return response
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_release(_ response: OpaquePointer?) { Handle<ResponseHandle>.release(response) }
