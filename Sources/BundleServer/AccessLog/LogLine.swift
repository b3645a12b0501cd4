/// A buffer of log lines, and functions to append to it. Nothing is allocated while the capacity suffices.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    /// Empties it, and keeps the capacity.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// - Parameter digits: The minimum number of digits; padded with zeros.
    mutating func append(_ number: Int, digits: Int = 1) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var divisor: UInt = 1
        let magnitude = number.magnitude
        var width = 1
        while width < digits || magnitude / divisor >= 10 {
            divisor *= 10
            width += 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends two hexadecimal digits, in upper case like nginx.
    mutating func appendHexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }
}
