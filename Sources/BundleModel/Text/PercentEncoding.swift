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

    /// The first `%` that two hexadecimal digits don't follow, with the characters that do; nil when there is none.
    package static func malformedSequence(in text: String) -> String? {
        let bytes = Array(text.utf8)
        let position = bytes.indices.first { index in
            guard bytes[index] == UInt8(ascii: "%") else { return false }
            let digits = bytes[(index + 1)...].prefix(2)
            return digits.count < 2 || digits.contains { Hexadecimal.value(of: $0) == nil }
        }
        return position.map { String(decoding: bytes[$0...].prefix(3), as: UTF8.self) }
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
        withBytes(of: text) { bytes in
            guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
            var normalized: [UInt8] = []
            normalized.reserveCapacity(bytes.count)
            forEachByte(of: bytes) { byte, isEncoded in
                if isEncoded, !isUnreserved(byte) {
                    normalized.append(UInt8(ascii: "%"))
                    normalized.append(contentsOf: Hexadecimal.string(of: [byte]).uppercased().utf8)
                } else {
                    normalized.append(byte)
                }
            }
            return String(decoding: normalized, as: UTF8.self)
        }
    }

    /// Decodes all complete sequences; an incomplete one is left alone.
    package static func decodingComplete(_ text: some Collection<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        withBytes(of: text) { bytes in forEachByte(of: bytes) { byte, _ in decoded.append(byte) } }
        return decoded
    }

    /// Memory is read many times faster than a collection of a type that the compiler doesn't know.
    private static func withBytes<Result>(
        of text: some Collection<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        text.withContiguousStorageIfAvailable(body) ?? Array(text).withUnsafeBufferPointer(body)
    }

    private static func forEachByte(
        of text: UnsafeBufferPointer<UInt8>,
        _ body: (_ byte: UInt8, _ isEncoded: Bool) -> Void
    ) {
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "%"), text.count - position > 2,
                let high = Hexadecimal.value(of: text[position + 1]),
                let low = Hexadecimal.value(of: text[position + 2])
            {
                body(high << 4 | low, true)
                position += 3
            } else {
                body(byte, false)
                position += 1
            }
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "-", ".", "_", "~": true
        default: ASCII.isAlphanumeric(byte)
        }
    }
}
