/// Text of a request for a log. It is untrusted: whatever a client sends.
package enum LogText {
    case absent
    case string(String)
    /// Bytes that need to be valid only until the record is appended.
    case bytes(UnsafeRawBufferPointer)
    /// Bytes as they were sent, which need not be UTF-8.
    case copy([UInt8])

    package init(_ string: String?) {
        self = string.map(LogText.string) ?? .absent
    }

    package var isAbsent: Bool {
        switch self {
        case .absent: true
        case .string(let string): string.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .copy(let bytes): bytes.isEmpty
        }
    }

    /// The text; nil when it is absent.
    package var string: String? {
        switch self {
        case .absent: nil
        case .string(let string): string
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .copy(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A copy that doesn't refer to the bytes.
    var owned: LogText {
        if case .bytes(let bytes) = self { .copy(Array(bytes)) } else { self }
    }

    /// Calls `body` with the bytes; with none when there is no text.
    package func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        switch self {
        case .absent: body(UnsafeRawBufferPointer(start: nil, count: 0))
        case .string(var string): string.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): body(bytes)
        case .copy(let bytes): bytes.withUnsafeBytes { body($0) }
        }
    }
}
