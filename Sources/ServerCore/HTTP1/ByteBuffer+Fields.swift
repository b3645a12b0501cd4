import HTTPTypes
import NIOCore

extension ByteBuffer {
    /// Writes field lines (RFC 9112 §5).
    mutating func writeFields(_ fields: HTTPFields) {
        for field in fields {
            writeString(field.name.rawName)
            writeStaticString(": ")
            // As they are: they need not be UTF-8 (RFC 9110 §5.5).
            _ = field.withUnsafeBytesOfValue { writeBytes($0) }
            writeStaticString("\r\n")
        }
    }
}
