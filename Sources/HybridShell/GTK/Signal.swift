import CWebKitGTK

/// A signal of a GObject, handled by a closure. The handler belongs to the object: it is released with it.
@MainActor
enum Signal {
    typealias Arguments = [UnsafeMutableRawPointer?]

    /// Connects a closure, which gets the signal's arguments without the object itself. Integers arrive as pointers, see
    /// ``integer(_:)``.
    ///
    /// - Parameters:
    ///   - count: The number of arguments, 0 to 3.
    ///   - body: Its result counts for signals that have one: true stops other handlers.
    static func connect(
        _ object: UnsafeMutableRawPointer,
        _ name: String,
        arguments count: Int,
        _ body: @escaping @MainActor (Arguments) -> Bool
    ) {
        let handler = Unmanaged.passRetained(SignalHandler(body)).toOpaque()
        shell_connect(object, name, SignalHandler.callback(count), handler) { handler, _ in
            if let handler { Unmanaged<SignalHandler>.fromOpaque(handler).release() }
        }
    }

    /// Connects a closure to a signal whose arguments and result don't matter.
    static func connect(_ object: UnsafeMutableRawPointer, _ name: String, _ body: @escaping @MainActor () -> Void) {
        connect(object, name, arguments: 0) { _ in
            body()
            return false
        }
    }

    /// The value of an argument that is an enumeration or a small number.
    static func integer(_ argument: UnsafeMutableRawPointer?) -> Int32 {
        Int32(truncatingIfNeeded: Int(bitPattern: argument))
    }
}

/// What GObject holds of a closure.
private final class SignalHandler: Sendable {
    private let body: @MainActor (Signal.Arguments) -> Bool

    init(_ body: @escaping @MainActor (Signal.Arguments) -> Bool) {
        self.body = body
    }

    typealias Raw = UnsafeMutableRawPointer?

    static func callback(_ count: Int) -> GCallback {
        // A callback takes the object first and its data last; what is between them differs.
        switch count {
        case 0:
            let call: @convention(c) (Raw, Raw) -> gboolean = { _, data in SignalHandler.handle(data, []) }
            return unsafeBitCast(call, to: GCallback.self)
        case 1:
            let call: @convention(c) (Raw, Raw, Raw) -> gboolean = { _, a, data in SignalHandler.handle(data, [a]) }
            return unsafeBitCast(call, to: GCallback.self)
        case 2:
            let call: @convention(c) (Raw, Raw, Raw, Raw) -> gboolean = { _, a, b, data in
                SignalHandler.handle(data, [a, b])
            }
            return unsafeBitCast(call, to: GCallback.self)
        default:
            let call: @convention(c) (Raw, Raw, Raw, Raw, Raw) -> gboolean = { _, a, b, c, data in
                SignalHandler.handle(data, [a, b, c])
            }
            return unsafeBitCast(call, to: GCallback.self)
        }
    }

    private static func handle(_ data: Raw, _ arguments: Signal.Arguments) -> gboolean {
        guard let data else { return 0 }
        let handler = Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue()
        // Pointers of GObject, which are used on this thread alone.
        nonisolated(unsafe) let arguments = arguments
        return MainActor.assumeIsolated { handler.body(arguments) } ? 1 : 0
    }
}

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
