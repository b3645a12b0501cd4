public import CBundle

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_status(_ error: OpaquePointer) -> ob_status { Handle<Failure>.object(error).status }

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_name(_ error: OpaquePointer) -> UnsafePointer<CChar> { Handle<Failure>.object(error).name.pointer }

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_message(_ error: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<Failure>.object(error).message.pointer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_error_free(_ error: OpaquePointer?) { Handle<Failure>.release(error) }
