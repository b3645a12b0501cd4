/// One record of a zip's central directory (APPNOTE 6.3.10, section 4.3.12), as far as it is compared with the header
/// that stands in front of the entry's data.
struct ZipDirectoryEntry: Equatable {
    private static let signature: [UInt8] = [0x50, 0x4B, 1, 2]
    private static let fixedByteCount = 46
    private static let zip64FieldID: UInt16 = 1

    /// The name's bytes.
    let name: ArraySlice<UInt8>
    /// The general purpose bit flags; bits 0 and 6 mean encryption.
    let flags: UInt16
    /// The compression method.
    let method: UInt16
    /// The number of bytes that the entry takes in the archive, without its header.
    let compressedByteCount: UInt64
    /// Where the entry's own header starts.
    let localHeaderOffset: UInt64
    /// The number of bytes of this record.
    let byteCount: Int

    /// Reads the record that `bytes` starts with. Returns nil when there is none or it is incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: Self.signature), let flags = bytes.littleEndian(UInt16.self, at: 8),
            let method = bytes.littleEndian(UInt16.self, at: 10),
            let compressedByteCount = bytes.littleEndian(UInt32.self, at: 20),
            let uncompressedByteCount = bytes.littleEndian(UInt32.self, at: 24),
            let nameByteCount = bytes.littleEndian(UInt16.self, at: 28),
            let extraByteCount = bytes.littleEndian(UInt16.self, at: 30),
            let commentByteCount = bytes.littleEndian(UInt16.self, at: 32),
            let localHeaderOffset = bytes.littleEndian(UInt32.self, at: 42)
        else { return nil }
        byteCount = Self.fixedByteCount + Int(nameByteCount) + Int(extraByteCount) + Int(commentByteCount)
        guard bytes.count >= byteCount else { return nil }
        let variable = bytes.dropFirst(Self.fixedByteCount)
        name = variable.prefix(Int(nameByteCount))
        self.flags = flags
        self.method = method
        var wide = Zip64Field(in: variable.dropFirst(Int(nameByteCount)).prefix(Int(extraByteCount)))
        _ = wide.value(widening: uncompressedByteCount)
        self.compressedByteCount = wide.value(widening: compressedByteCount)
        self.localHeaderOffset = wide.value(widening: localHeaderOffset)
    }

    /// The ZIP64 extra field (section 4.5.3): the 64-bit values, in order, of those fields that are saturated.
    private struct Zip64Field {
        private var rest: ArraySlice<UInt8> = []

        init(in extra: ArraySlice<UInt8>) {
            var extra = extra
            while let id = extra.littleEndian(UInt16.self, at: 0), let size = extra.littleEndian(UInt16.self, at: 2) {
                if id == zip64FieldID {
                    rest = extra.dropFirst(4).prefix(Int(size))
                    return
                }
                extra = extra.dropFirst(4 + Int(size))
            }
        }

        mutating func value(widening value: UInt32) -> UInt64 {
            guard value == .max, let wide = rest.littleEndian(UInt64.self, at: 0) else { return UInt64(value) }
            rest = rest.dropFirst(8)
            return wide
        }
    }
}
