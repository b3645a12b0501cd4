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

    /// The spelling that all equivalent ones share (RFC 3986 §6.2.2): unreserved characters as they are, and the digits
    /// of the other sequences in upper case. An incomplete sequence is left alone.
    package static func normalizing(_ text: some Collection<UInt8>) -> String {
        var normalized: [UInt8] = []
        forEachByte(of: text) { byte, isEncoded in
            if isEncoded, !isUnreserved(byte) {
                normalized.append(UInt8(ascii: "%"))
                normalized.append(contentsOf: Hexadecimal.string(of: [byte]).uppercased().utf8)
            } else {
                normalized.append(byte)
            }
        }
        return String(decoding: normalized, as: UTF8.self)
    }

    /// Decodes all complete sequences; an incomplete one is left alone.
    package static func decodingComplete(_ text: some Collection<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        forEachByte(of: text) { byte, _ in decoded.append(byte) }
        return decoded
    }

    private static func forEachByte(
        of text: some Collection<UInt8>,
        _ body: (_ byte: UInt8, _ isEncoded: Bool) -> Void
    ) {
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Hexadecimal.value(of: $0) }
            guard byte == UInt8(ascii: "%"), digits.count == 2 else {
                body(byte, false)
                continue
            }
            rest = rest.dropFirst(2)
            body(digits[0] << 4 | digits[1], true)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
    }
}
