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

    /// Returns nil unless `name` is 32 lower-case hexadecimal digits: another spelling would denote another file.
    init?(name: some StringProtocol) {
        guard let value = UInt128(name, radix: 16) else { return nil }
        self.value = value
        // UInt128 also accepts a sign, either case, and fewer digits.
        guard self.name.utf8.elementsEqual(name.utf8) else { return nil }
    }

    init(value: UInt128) {
        self.value = value
    }
}
