extension String {
    /// The encodings of texts.
    public enum Encoding: Sendable { case utf8 }

    public init?(data: Data, encoding: Encoding) {
        self.init(validating: data, as: UTF8.self)
    }
}

extension Data {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes in Base64 (RFC 4648 §4).
    public func base64EncodedString() -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: count, by: 3) {
            let part = self[start..<Swift.min(start + 3, count)]
            let bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            for index in 0..<4 {
                text.append(index <= part.count ? Self.digits[Int(bits >> (18 - 6 * UInt32(index)) & 63)] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil unless the text is Base64 with its padding.
    public init?(base64Encoded text: String) {
        let text = Array(text.utf8)
        let padding = text.reversed().prefix { $0 == 0x3D }.count
        guard text.count % 4 == 0, padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in text.dropLast(padding) {
            guard let digit = Self.digits.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        self.init(bytes)
    }

    /// How a file is read.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let mappedIfSafe = ReadingOptions(rawValue: 1)
    }

    /// Reads a file.
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {
        guard let data = FileManager.default.contents(atPath: url.path) else { throw POSIXError.last }
        self = data
    }
}
