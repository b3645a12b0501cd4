/// Percent-encoding of URL path components (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Decodes `component` once. Returns nil for an incomplete `%` sequence or when the result isn't UTF-8.
    package static func decode(_ component: some Collection<UInt8>) -> String? {
        var bytes = Array(component)
        let count = bytes.withUnsafeMutableBytes { memory in decode(UnsafeRawBufferPointer(memory), into: memory) }
        return count.flatMap { String(validating: bytes[..<$0], as: UTF8.self) }
    }

    /// Decodes `bytes` once and returns the number of decoded bytes, or nil for an incomplete `%` sequence.
    ///
    /// - Parameters:
    ///   - memory: At least as long as `bytes`; it may be the same memory.
    ///   - reserved: A byte that may occur itself, but not as a `%` sequence.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        into memory: UnsafeMutableRawBufferPointer,
        refusing reserved: UInt8? = nil
    ) -> Int? {
        var (position, count) = (0, 0)
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "%") {
                guard bytes.count - position >= 2, let high = Hexadecimal.value(of: bytes[position]),
                    let low = Hexadecimal.value(of: bytes[position + 1]), case let decoded = high << 4 | low,
                    decoded != reserved
                else { return nil }
                byte = decoded
                position += 2
            }
            memory[count] = byte
            count += 1
        }
        return count
    }

    /// Encodes everything but unreserved characters (RFC 3986 §2.3), so that the result is safe anywhere in a path,
    /// including the first component of a relative one.
    package static func encode(component: some StringProtocol) -> String {
        var encoded: [UInt8] = []
        for byte in component.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(contentsOf: Hexadecimal.string(of: [byte]).uppercased().utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
    }
}
