/// Percent-encoding of URL path components (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Decodes `component` once. Returns nil for an incomplete `%` sequence or when the result isn't UTF-8.
    package static func decode(_ component: some Sequence<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var iterator = component.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(Hexadecimal.value),
                let low = iterator.next().flatMap(Hexadecimal.value)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Encodes everything but unreserved characters (RFC 3986 §2.3), so that the result is safe anywhere in a path, the
    /// first component of a relative one included.
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
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
