import BundleModel

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
