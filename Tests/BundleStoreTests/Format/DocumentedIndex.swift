import Testing

@testable import BundleStore

/// A version index that is read using only the document.
struct DocumentedIndex {
    struct Entry {
        let path: String
        let mediaType: String
        let segment: String
        let content: Range<Int>
        let digest: [UInt8]
        let hash: Range<Int>
        let immutability: Int
    }

    let file: DocumentedFile
    let entries: [Entry]

    init(_ bytes: [UInt8], _ document: StoreFormatDocument) throws {
        let file = try DocumentedFile(bytes, document.fields("Version index"))
        let entryFields = try document.fields("Version index", table: 1)
        let names = try file.number("offset of the names")
        let (segments, mediaTypes) = (
            try file.number("offset of the segments"), try file.number("offset of the media types")
        )
        let entrySize = entryFields.map { $0.offset + ($0.byteCount ?? 0) }.max() ?? 0
        entries = try (0..<file.number("number of entries")).map { number in
            let start = try file.number("offset of the entries") + number * entrySize
            func value(_ words: String) throws -> Int { try file.number(entryFields.named(words), at: start) }
            let path = names + (try value("offset of the path"))
            let segment = segments + 16 * (try value("number of the segment"))
            let type = mediaTypes + 8 * (try value("number of the media type"))
            let typeStart = names + file.integer(in: type..<type + 4)
            let content = try value("offset of the content")
            let digest = start + (try entryFields.named("SHA-256").offset)
            let hash = (start: try value("offset of the hash"), byteCount: try value("length of the hash"))
            return Entry(
                path: String(decoding: bytes[path..<path + (try value("length of the path"))], as: UTF8.self),
                mediaType: String(
                    decoding: bytes[typeStart..<typeStart + file.integer(in: type + 4..<type + 8)],
                    as: UTF8.self
                ),
                segment: Hexadecimal.string(of: bytes[segment..<segment + 16]),
                content: content..<content + (try value("length of the content")),
                digest: Array(bytes[digest..<digest + 32]),
                hash: hash.start..<hash.start + hash.byteCount,
                immutability: try value("why the content")
            )
        }
        self.file = file
    }

    /// Whether the header's digest covers the 96 bytes before it and the digest of the data after it.
    func isIntact() throws -> Bool {
        let field = try file.fields.named("SHA-256")
        let end = field.offset + (try #require(field.byteCount))
        let rest = file.digest(of: end..<file.bytes.count)
        return Array(file.bytes[field.offset..<end]) == Digest(of: file.bytes[..<field.offset] + rest).bytes
    }

    /// The number of the entry with this path, by the path buckets.
    func number(ofPath path: String) throws -> Int? {
        let start = try file.fields.named("key of the path hash").offset
        let key = SipHash.Key(
            low: UInt64(bitPattern: Int64(file.integer(in: start..<start + 8))),
            high: UInt64(bitPattern: Int64(file.integer(in: start + 8..<start + 16)))
        )
        let hash = Array(path.utf8).withUnsafeBytes { SipHash.hash($0, key) }
        return try search("path buckets", hash) { entries[$0].path.utf8.elementsEqual(path.utf8) }
    }

    /// The number of the first entry with this content, by the digest buckets.
    func number(ofContent digest: [UInt8]) throws -> Int? {
        let hash = digest[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return try search("digest buckets", hash) { entries[$0].digest == digest }
    }

    private func search(_ table: String, _ hash: UInt64, where match: (Int) -> Bool) throws -> Int? {
        let (start, count) = (try file.number("offset of the \(table)"), try file.number("number of \(table)"))
        #expect(count.nonzeroBitCount == 1 && count >= 2 * entries.count)
        var bucket = Int(hash % UInt64(count))
        while case let number = file.integer(in: start + 4 * bucket..<start + 4 * bucket + 4), number > 0 {
            if match(number - 1) { return number - 1 }
            bucket = (bucket + 1) % count
        }
        return nil
    }
}
