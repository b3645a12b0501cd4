import BundleStore

/// The bytes of a response: slices of the store, and what has to stand between them. Nothing of the store is copied.
///
/// A value type; safe to share between threads.
public struct ResponseBody: Sendable {
    /// The stretches to send one after the other. None is empty.
    public let parts: [ByteSlice]

    /// Joins stretches in this order.
    public init(_ parts: [ByteSlice] = []) {
        self.parts = parts.filter { $0.count > 0 }
    }

    /// A text of the response's own, in UTF-8.
    public init(_ text: String) {
        self.init([ByteSlice(copying: Array(text.utf8))])
    }

    /// No bytes at all.
    public static let empty = ResponseBody()

    /// The number of bytes of all parts together.
    public var byteCount: Int { parts.reduce(0) { $0 + $1.count } }

    /// Whether some of the bytes could not be read, see ``/BundleStore/ByteSlice/hasFaulted``: to be checked after they
    /// were copied, and before they are sent.
    public var hasFaulted: Bool { parts.contains(where: \.hasFaulted) }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { parts.isEmpty }

    /// A copy of all bytes.
    public var array: [UInt8] { parts.flatMap(\.array) }
}
