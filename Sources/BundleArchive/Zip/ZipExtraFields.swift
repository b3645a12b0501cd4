import BundleModel

/// The extra fields of a header (APPNOTE 6.3.10, section 4.5) that change what an entry is. They belong to the buffer
/// that they were read from.
struct ZipExtraFields {
    /// The ZIP64 sizes (section 4.5.3).
    private(set) var zip64: UnsafeRawBufferPointer?
    /// Info-ZIP's name in UTF-8 (section 4.6.9), with its own head.
    private(set) var unicodePath: UnsafeRawBufferPointer?
    /// Whether the entry is encrypted with AES in WinZip's way.
    private(set) var isEncrypted = false

    /// Finds the fields in `bytes`.
    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var position = 0
        // What is too short for a field's head is padding, as Android's zipalign leaves it.
        while let id = bytes.littleEndian(UInt16.self, at: position),
            let byteCount = bytes.littleEndian(UInt16.self, at: position + 2)
        {
            let start = position + 4
            position = start + Int(byteCount)
            guard position <= bytes.count else { throw .damagedZip("has an extra field that reaches over its header") }
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
