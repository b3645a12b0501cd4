/// The limits of a request's head. A value type; safe to share between threads.
public struct RequestHeadLimits: Sendable, Hashable {
    /// The maximum length of a head in bytes, with its empty line and those before it; at least 1.
    public var byteCount = 32 << 10
    /// The maximum length of a target in bytes; at least 1.
    public var targetByteCount = 8 << 10
    /// The maximum number of fields; at least 1.
    public var fieldCount = 100

    /// The default limits: 32 KiB, with a target of 8 KiB and 100 fields.
    public init() {}
}
