import BundleModel


/// Determines a file's media type from its first bytes, for files whose names don't determine it.
///
/// This is the algorithm for an unknown MIME type (WHATWG MIME Sniffing §7.1, scripts allowed, since a bundle's content
/// is its publisher's), with the font signatures of §6.3 added for content that is binary.
package enum MediaTypeSniffer {
    /// How many bytes are examined: the standard's resource header (§5.2), which holds two frames of any MP3.
    package static let headerByteCount = 1_445

    /// The media type of `content`; ``MediaType/octetStream`` when it is unknown. HTML and plain text get
    /// `charset=utf-8` only when the examined bytes are UTF-8.
    package static func sniff(_ content: ByteSlice) -> MediaType {
        content.withUnsafeBytes { bytes in
            let header = bytes.prefix(headerByteCount)
            let type = type(of: header)
            guard type == .html || type == .plainText, !isUTF8(header, isCut: header.count < bytes.count)
            else { return type }
            return MediaType(known: type.essence)
        }
    }

    private static func type(of header: Slice<UnsafeRawBufferPointer>) -> MediaType {
        let tables = [
            SniffingTables.scriptable, SniffingTables.unscriptable, SniffingTables.images, SniffingTables.media,
        ]
        for table in tables {
            if let type = first(of: table, in: header) { return type }
        }
        if MediaSignature.isMP4(header) { return MediaType(known: "video/mp4") }
        if MediaSignature.isWebM(header) { return MediaType(known: "video/webm") }
        if MP3Frame.startsStream(header) { return MediaType(known: "audio/mpeg") }
        if let type = first(of: SniffingTables.archives, in: header) { return type }
        // Fonts come last: the Embedded OpenType signature is two letters, which any text may have in that place.
        guard header.contains(where: isBinary) else { return .plainText }
        return first(of: SniffingTables.fonts, in: header) ?? .octetStream
    }

    private static func first(
        of table: [SniffingPattern],
        in header: Slice<UnsafeRawBufferPointer>
    ) -> MediaType? {
        table.first { $0.matches(header) }?.type
    }

    /// A binary data byte (§3): a control character that no text contains.
    private static func isBinary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x08, 0x0B, 0x0E...0x1A, 0x1C...0x1F: true
        default: false
        }
    }

    /// Whether `header` is UTF-8. If it was cut from a longer text, its last character may be incomplete.
    private static func isUTF8(_ header: Slice<UnsafeRawBufferPointer>, isCut: Bool) -> Bool {
        (0...(isCut ? 3 : 0)).contains { String(validating: header.dropLast($0), as: UTF8.self) != nil }
    }
}
