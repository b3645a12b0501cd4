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
