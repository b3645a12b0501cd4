/// References to objects that C holds as pointers.
enum Handle<Object: AnyObject> {
    /// A pointer that owns the object.
    static func make(_ object: Object) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

    /// The object of a pointer that the caller holds.
    static func object(_ pointer: OpaquePointer) -> Object { unmanaged(pointer).takeUnretainedValue() }

    /// Makes the pointer own the object once more.
    static func retain(_ pointer: OpaquePointer) { _ = unmanaged(pointer).retain() }

    /// Gives up an ownership; does nothing for nil.
    static func release(_ pointer: OpaquePointer?) {
        if let pointer { unmanaged(pointer).release() }
    }

    private static func unmanaged(_ pointer: OpaquePointer) -> Unmanaged<Object> {
        Unmanaged.fromOpaque(UnsafeRawPointer(pointer))
    }
}
