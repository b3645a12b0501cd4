import CWebKitGTK

/// An object of GLib's, kept for as long as this exists. Made and released on GTK's thread.
@MainActor
final class GObjectReference {
    let pointer: UnsafeMutableRawPointer

    /// Keeps an object of somebody else's.
    init(keeping pointer: UnsafeMutableRawPointer) {
        self.pointer = g_object_ref(pointer)
    }

    /// Takes over the caller's reference.
    init(taking pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    var opaque: OpaquePointer { OpaquePointer(pointer) }

    isolated deinit {
        g_object_unref(pointer)
    }
}
