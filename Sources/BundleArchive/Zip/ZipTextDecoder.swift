import BundleModel
import CZlib

/// Converts the bytes of an entry's name, or of a link's target, to text (APPNOTE 6.3.10, appendix D).
struct ZipTextDecoder {
    private static let unicodePathHeadByteCount = 5

    private let charset: ArchiveCharset?
    private let converter: CharsetConverter?

    /// - Parameter charset: The encoding of names that aren't marked as UTF-8; nil for UTF-8.
    init(charset: ArchiveCharset?) throws(ArchiveError) {
        self.charset = charset
        converter = try charset.map { charset throws(ArchiveError) in try CharsetConverter(from: charset) }
    }

    /// The name of the entry that `record` describes. It contains no NUL and no backslash.
    func name(of record: ZipDirectoryRecord) throws(ArchiveError) -> String {
        var name =
            if let name = try unicodeName(of: record) { name } else { try text(of: record.name, flags: record.flags) }
        let (hasNUL, hasBackslash, hasSlash) = name.withUTF8 { bytes in
            (bytes.contains(0), bytes.contains(UInt8(ascii: "\\")), bytes.contains(UInt8(ascii: "/")))
        }
        guard !hasNUL else { throw .damagedZip("has a name with a NUL byte") }
        guard hasBackslash else { return name }
        // APPNOTE section 4.4.17.1 requires “/”; some programs treat the two as the same. Where a name can't have a backslash,
        // and has no “/”, it separates folders for all that read it so, as Info-ZIP does; .NET's early versions wrote it.
        guard record.isFromWindows, !hasSlash else {
            throw ArchiveError(.damaged, "has a backslash in its name", advice: "repack it with “/” between folders")
        }
        return name.replacing("\\", with: "/")
    }

    /// The name in the Unicode Path field, which may differ only from a name of unknown encoding.
    private func unicodeName(of record: ZipDirectoryRecord) throws(ArchiveError) -> String? {
        guard let unicode = Self.unicodePath(record.extraFields, of: record.name) else { return nil }
        let isCertain = record.flags.contains(.utf8) || record.name.allSatisfy { $0 < 0x80 }
        guard !isCertain || record.name.hasSameBytes(as: unicode) else { throw Self.secondName }
        guard let name = String(validating: unicode, as: UTF8.self) else { throw .wrongUTF8 }
        return name
    }

    /// Checks that the extra fields of `header` alone don't give a name other than `name`.
    func checkName(_ name: String, agreesWith header: ZipLocalHeader) throws(ArchiveError) {
        guard let unicode = Self.unicodePath(header.extraFields, of: header.name) else { return }
        guard name.utf8.elementsEqual(unicode) else { throw Self.secondName }
    }

    /// The text of `bytes`, according to the flags of their entry.
    func text(of bytes: UnsafeRawBufferPointer, flags: ZipFlags) throws(ArchiveError) -> String {
        if let converter, let charset, !flags.contains(.utf8), !bytes.allSatisfy({ $0 < 0x80 }) {
            guard let text = converter.text(of: bytes) else { throw .nameNot(charset) }
            return text
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw flags.contains(.utf8) ? .wrongUTF8 : .nameNot(nil)
        }
        return text
    }

    /// The name in Info-ZIP's Unicode Path field (section 4.6.9), unless it was written for a name other than `name`:
    /// then a program that doesn't know the field has renamed the entry.
    private static func unicodePath(
        _ fields: ZipExtraFields,
        of name: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard let field = fields.unicodePath, field.littleEndian(UInt8.self, at: 0) == 1,
            let checksum = field.littleEndian(UInt32.self, at: 1)
        else { return nil }
        var expected = CRC32()
        expected.update(name)
        guard checksum == expected.value else { return nil }
        return field.part(from: unicodePathHeadByteCount, count: field.count)
    }

    private static var secondName: ArchiveError {
        .damagedZip("has a second name in its extra fields, and which one counts depends on the program")
    }
}
