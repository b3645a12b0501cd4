import Testing

@testable import BundleStore

/// A file that is read using only the document.
struct DocumentedFile {
    let bytes: [UInt8]
    let fields: [StoreFormatDocument.Field]

    /// Reads the parts of the header that segments and indexes have in common.
    init(_ bytes: [UInt8], _ fields: [StoreFormatDocument.Field]) throws {
        self.bytes = bytes
        self.fields = fields
        #expect(Array(bytes.prefix(8)) == (try fields.named("`OB").bytes()))
        #expect(try number("format version") == (try fields.named("format version").constant()))
        #expect(try number("size of this header") == (try fields.named("size of this header").constant()))
        #expect(try number("size of the file") == bytes.count)
    }

    /// The number in the header's field whose meaning begins with these words.
    func number(_ words: String) throws -> Int {
        try number(fields.named(words), at: 0)
    }

    /// The number in a field of a structure that begins at `start`.
    func number(_ field: StoreFormatDocument.Field, at start: Int) throws -> Int {
        integer(in: start + field.offset..<start + field.offset + (try #require(field.byteCount)))
    }

    /// Unsigned and little-endian.
    func integer(in range: Range<Int>) -> Int {
        Int(truncatingIfNeeded: bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    func digest(of range: Range<Int>) -> [UInt8] { Digest(of: Array(bytes[range])).bytes }
}

extension Digest {
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
