import BundleModel


/// The bytes of a response: slices of the store, and the bytes between them. Nothing of the store is copied.
///
/// A value type; safe to share between threads.
public struct ResponseBody: Sendable {
    /// The slices to send, in order. None is empty.
    public let parts: [ByteSlice]

    /// Combines slices in this order.
    public init(_ parts: [ByteSlice] = []) {
        self.parts = parts.filter { $0.count > 0 }
    }

    /// Creates a body from text, in UTF-8.
    public init(_ text: String) {
        self.init([ByteSlice(copying: Array(text.utf8))])
    }

    /// An empty body.
    public static let empty = ResponseBody()

    /// The total number of bytes.
    public var byteCount: Int { parts.reduce(0) { $0 + $1.count } }

    /// Whether some of the bytes could not be read, see ``/BundleStore/ByteSlice/hasFaulted``: check it after they were
    /// copied and before they are sent.
    public var hasFaulted: Bool { parts.contains(where: \.hasFaulted) }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { parts.isEmpty }

    /// A copy of all bytes.
    public var array: [UInt8] { parts.flatMap(\.array) }
}
