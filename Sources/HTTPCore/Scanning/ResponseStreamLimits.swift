/// The limits of a response, apart from its content. A value type; safe to share between threads.
public struct ResponseStreamLimits: Sendable, Hashable {
    /// The maximum length of a status line or field line in bytes, with its end; at least 1.
    public var lineByteCount = 64 << 10
    /// The maximum length of a head in bytes, with its empty line, and that of a trailer section; at least 1.
    public var headByteCount = 256 << 10
    /// The maximum number of fields, those of the trailer section included; at least 1.
    public var fieldCount = 256
    /// The maximum number of interim responses before a response.
    public var interimCount = 16
    /// The maximum length of the line that begins a chunk, in bytes, with its end; at least 16.
    public var chunkLineByteCount = 4 << 10
    /// By how many bytes chunk extensions may exceed the content.
    public var chunkExtensionByteCount = 16 << 10

    /// The default limits: lines of 64 KiB, heads of 256 KiB with 256 fields, 16 interim responses, and 16 KiB of chunk
    /// extensions.
    public init() {}
}
