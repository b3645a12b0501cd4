/// The random name of a file in the store: 128 bits, so that processes need not agree on a counter.
struct FileIdentifier: Hashable, Sendable {
    static let byteCount = 16

    let value: UInt128

    static func random() -> FileIdentifier {
        FileIdentifier(value: UInt128.random(in: .min ... .max))
    }

    /// 32 lower-case hexadecimal digits.
    var name: String {
        withUnsafeBytes(of: value.bigEndian) { Hexadecimal.string(of: $0) }
    }

    /// Returns nil unless `name` is 32 hexadecimal digits.
    init?(name: some StringProtocol) {
        // UInt128 would take a sign for a digit.
        guard name.utf8.count == 2 * Self.byteCount, name.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil }),
            let value = UInt128(name, radix: 16)
        else { return nil }
        self.value = value
    }

    init(value: UInt128) {
        self.value = value
    }
}
