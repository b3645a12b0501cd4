import BundleModel

/// The extra fields of a header (APPNOTE 6.3.10, section 4.5) that affect the entry. They are views of the buffer that
/// they were read from.
struct ZipExtraFields {
    /// The ZIP64 sizes (section 4.5.3).
    private(set) var zip64: UnsafeRawBufferPointer?
    /// Info-ZIP's name in UTF-8 (section 4.6.9), with the field's own header.
    private(set) var unicodePath: UnsafeRawBufferPointer?
    /// Whether the entry is encrypted with WinZip's AES.
    private(set) var isEncrypted = false

    /// Finds the fields in `bytes`.
    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var position = 0
        // A remainder too short for a field's header is padding, as written by Android's zipalign.
        while let id = bytes.littleEndian(UInt16.self, at: position),
            let byteCount = bytes.littleEndian(UInt16.self, at: position + 2)
        {
            let start = position + 4
            position = start + Int(byteCount)
            guard position <= bytes.count else { throw .damagedZip("has an extra field that exceeds its header") }
            try take(id, bytes.part(from: start, count: Int(byteCount)))
        }
    }

    private mutating func take(_ id: UInt16, _ field: UnsafeRawBufferPointer) throws(ArchiveError) {
        switch id {
        case 0x0001:
            guard zip64 == nil else { throw .damagedZip("gives its sizes twice") }
            zip64 = field
        case 0x7075:
            guard unicodePath == nil else { throw .damagedZip("gives its name twice") }
            unicodePath = field
        case 0x9901:
            isEncrypted = true
        default:
            break
        }
    }
}

/// The ZIP64 extra field (APPNOTE 6.3.10, section 4.5.3): the 64-bit values of the saturated fields, in a fixed order.
/// Some programs write the values of all fields, which is accepted as long as they agree.
struct Zip64Field {
    private let bytes: UnsafeRawBufferPointer?
    private let hasAllValues: Bool
    private var position = 0

    /// - Parameters:
    ///   - bytes: The field, nil when there is none.
    ///   - saturatedByteCount: The number of bytes that the values of the saturated fields take.
    init(_ bytes: UnsafeRawBufferPointer?, saturatedByteCount: Int) throws(ArchiveError) {
        let byteCount = bytes?.count ?? 0
        guard byteCount >= saturatedByteCount else { throw Self.contradiction }
        self.bytes = bytes
        hasAllValues = byteCount > saturatedByteCount
    }

    /// The value of the next field, which is `narrow` in the record itself.
    mutating func value<Narrow: UnsignedInteger & FixedWidthInteger>(
        widening narrow: Narrow
    ) throws(ArchiveError) -> Int64 {
        guard hasAllValues || narrow == .max else { return Int64(narrow) }
        guard let bytes, let wide = bytes.littleEndian(UInt64.self, at: position) else {
            // A field with all values may still lack the last ones.
            guard narrow != .max else { throw Self.contradiction }
            return Int64(narrow)
        }
        position += 8
        guard narrow == .max || UInt64(narrow) == wide, let value = Int64(exactly: wide) else {
            throw Self.contradiction
        }
        return value
    }

    /// Checks that the number of the entry's disk, whose field is `narrow`, is 0.
    mutating func checkDisk(_ narrow: UInt16) throws(ArchiveError) {
        guard let wide = bytes?.littleEndian(UInt32.self, at: position), hasAllValues || narrow == .max else {
            guard narrow == 0 else { throw ZipEndRecord.split }
            return
        }
        position += 4
        guard wide == 0, narrow == .max || narrow == 0 else { throw ZipEndRecord.split }
    }

    /// Checks that the field has been read completely.
    func checkEnd() throws(ArchiveError) {
        guard position == bytes?.count ?? 0 else { throw Self.contradiction }
    }

    private static var contradiction: ArchiveError {
        .damagedZip("gives sizes that contradict each other")
    }
}
