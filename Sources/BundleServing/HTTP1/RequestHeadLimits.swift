/// How much of a request's head is taken in. A value type; safe to share between threads.
public struct RequestHeadLimits: Sendable, Hashable {
    /// The longest head in bytes, with its empty line and those before it; at least 1.
    public var byteCount = 32 << 10
    /// The longest target in bytes; at least 1.
    public var targetByteCount = 8 << 10
    /// The largest number of fields; at least 1.
    public var fieldCount = 100

    /// 32 KB, with a target of 8 KB and 100 fields.
    public init() {}
}
