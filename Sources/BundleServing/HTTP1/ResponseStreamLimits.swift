/// How much of a response is accepted in addition to its content. A value type; safe to share between threads.
public struct ResponseStreamLimits: Sendable, Hashable {
    /// The longest status line or field line in bytes, with its end; at least 1.
    public var lineByteCount = 64 << 10
    /// The longest head in bytes, with its empty line, and the longest trailer section; at least 1.
    public var headByteCount = 256 << 10
    /// The largest number of fields, those of the trailer section included; at least 1.
    public var fieldCount = 256
    /// How many interim responses may precede a response.
    public var interimCount = 16
    /// The longest line that begins a chunk, in bytes, with its end; at least 16.
    public var chunkLineByteCount = 4 << 10
    /// By how many bytes chunk extensions may exceed the content.
    public var chunkExtensionByteCount = 16 << 10

    /// Lines of 64 KB, heads of 256 KB with 256 fields, 16 interim responses, and 16 KB of chunk extensions.
    public init() {}
}
