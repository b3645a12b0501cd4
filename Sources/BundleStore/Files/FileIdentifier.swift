/// The random name of a file in the store: 128 bits, so that processes need not agree on a counter.
package struct FileIdentifier: Hashable, Sendable {
    package static let byteCount = 16

    package let value: UInt128

    package static func random() -> FileIdentifier {
        FileIdentifier(value: UInt128.random(in: .min ... .max))
    }

    /// 32 lower-case hexadecimal digits.
    package var name: String {
        withUnsafeBytes(of: value.bigEndian) { Hexadecimal.string(of: $0) }
    }

    /// Returns nil unless `name` is 32 lower-case hexadecimal digits: another spelling would denote another file.
    package init?(name: some StringProtocol) {
        guard let value = UInt128(name, radix: 16) else { return nil }
        self.value = value
        // UInt128 also accepts a sign, either case, and fewer digits.
        guard self.name.utf8.elementsEqual(name.utf8) else { return nil }
    }

    package init(value: UInt128) {
        self.value = value
    }
}
