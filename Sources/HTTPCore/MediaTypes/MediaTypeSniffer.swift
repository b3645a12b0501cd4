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

/// The tables of the MIME Sniffing standard, in its order. Types have the names that ``MediaTypeTable`` gives them, so
/// that a file has the same type whether it is determined by name or by content.
enum SniffingTables {
    /// §7.1, step 1: types that can run scripts.
    static let scriptable: [SniffingPattern] =
        [
            "<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A", "<STYLE",
            "<TITLE", "<B", "<BODY", "<BR", "<P", "<!--",
        ].map(SniffingPattern.tag) + [
            .text("<?xml", skippingWhitespace: true, MediaType(known: "text/xml")),
            .text("%PDF-", MediaType(known: "application/pdf")),
        ]

    /// §7.1, step 2. The standard compares four bytes even where three suffice.
    static let unscriptable: [SniffingPattern] = [
        .text("%!PS-Adobe-", MediaType(known: "application/postscript")),
        .bytes([0xFE, 0xFF, nil, nil], MediaType(known: "text/plain; charset=utf-16be")),
        .bytes([0xFF, 0xFE, nil, nil], MediaType(known: "text/plain; charset=utf-16le")),
        .bytes([0xEF, 0xBB, 0xBF, nil], .plainText),
    ]

    /// §6.1.
    static let images: [SniffingPattern] = [
        .bytes([0x00, 0x00, 0x01, 0x00], MediaType(known: "image/vnd.microsoft.icon")),
        .bytes([0x00, 0x00, 0x02, 0x00], MediaType(known: "image/vnd.microsoft.icon")),
        .text("BM", MediaType(known: "image/bmp")),
        .text("GIF87a", MediaType(known: "image/gif")),
        .text("GIF89a", MediaType(known: "image/gif")),
        container("RIFF", "WEBPVP", MediaType(known: "image/webp")),
        .bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], MediaType(known: "image/png")),
        .bytes([0xFF, 0xD8, 0xFF], MediaType(known: "image/jpeg")),
    ]

    /// §6.2, step 1.
    static let media: [SniffingPattern] = [
        container("FORM", "AIFF", MediaType(known: "audio/aiff")),
        .text("ID3", MediaType(known: "audio/mpeg")),
        .bytes([0x4F, 0x67, 0x67, 0x53, 0x00], MediaType(known: "application/ogg")),
        .bytes([0x4D, 0x54, 0x68, 0x64, 0x00, 0x00, 0x00, 0x06], MediaType(known: "audio/midi")),
        container("RIFF", "AVI ", MediaType(known: "video/vnd.avi")),
        container("RIFF", "WAVE", MediaType(known: "audio/wav")),
    ]

    /// §6.3.
    static let fonts: [SniffingPattern] = [
        .bytes(Array(repeating: nil, count: 34) + [0x4C, 0x50], MediaType(known: "application/vnd.ms-fontobject")),
        .bytes([0x00, 0x01, 0x00, 0x00], MediaType(known: "font/ttf")),
        .text("OTTO", MediaType(known: "font/otf")),
        .text("ttcf", MediaType(known: "font/collection")),
        .text("wOFF", MediaType(known: "font/woff")),
        .text("wOF2", MediaType(known: "font/woff2")),
    ]

    /// §6.4.
    static let archives: [SniffingPattern] = [
        .bytes([0x1F, 0x8B, 0x08], MediaType(known: "application/gzip")),
        .bytes([0x50, 0x4B, 0x03, 0x04], MediaType(known: "application/zip")),
        .bytes([0x52, 0x61, 0x72, 0x20, 0x1A, 0x07, 0x00], MediaType(known: "application/vnd.rar")),
    ]

    /// A chunk's name, four bytes of size, and the form of its contents.
    private static func container(_ name: String, _ form: String, _ type: MediaType) -> SniffingPattern {
        .bytes(name.utf8.map { $0 } + [nil, nil, nil, nil] + form.utf8.map { $0 }, type)
    }
}

/// One row of a table in the MIME Sniffing standard (§6): bytes to match at the start, with a mask.
struct SniffingPattern: Sendable {
    private let bytes: [UInt8]
    private let mask: [UInt8]
    private let skipsWhitespace: Bool
    private let needsTagTerminator: Bool
    let type: MediaType

    /// Bytes that must match exactly. A nil stands for any byte.
    package static func bytes(_ bytes: [UInt8?], _ type: MediaType) -> SniffingPattern {
        SniffingPattern(
            bytes: bytes.map { $0 ?? 0 },
            mask: bytes.map { $0 == nil ? 0 : 0xFF },
            skipsWhitespace: false,
            needsTagTerminator: false,
            type: type
        )
    }

    /// ASCII text, after white space when `skippingWhitespace`.
    static func text(_ text: String, skippingWhitespace: Bool = false, _ type: MediaType) -> SniffingPattern {
        SniffingPattern(
            bytes: Array(text.utf8),
            mask: text.utf8.map { _ in 0xFF },
            skipsWhitespace: skippingWhitespace,
            needsTagTerminator: false,
            type: type
        )
    }

    /// The start of an HTML tag: letters in any case, white space before it, and a space or `>` after it, without which
    /// `<a` would match `<article of faith`.
    static func tag(_ tag: String) -> SniffingPattern {
        SniffingPattern(
            bytes: Array(tag.utf8),
            mask: tag.utf8.map { ASCII.isUppercase($0) ? 0xDF : 0xFF },
            skipsWhitespace: true,
            needsTagTerminator: true,
            type: .html
        )
    }

    /// The pattern matching algorithm of §6.
    func matches(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        let start = skipsWhitespace ? header.drop(while: Self.isWhitespace) : header
        guard start.count >= bytes.count + (needsTagTerminator ? 1 : 0) else { return false }
        let agrees = zip(start, zip(bytes, mask)).allSatisfy { byte, expected in byte & expected.1 == expected.0 }
        guard agrees, needsTagTerminator else { return agrees }
        let next = start[start.startIndex + bytes.count]
        return next == UInt8(ascii: " ") || next == UInt8(ascii: ">")
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D || byte == 0x20
    }
}

/// The signatures of video containers that no fixed pattern can match (WHATWG MIME Sniffing §6.2.1 and §6.2.2).
enum MediaSignature {
    /// §6.2.1: an `ftyp` box, one of whose brands starts with `mp4`.
    static func isMP4(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard header.count >= 12 else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: header)
        let boxSize = Int(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
        guard boxSize <= bytes.count, boxSize.isMultiple(of: 4), bytes[4..<8].elementsEqual("ftyp".utf8)
        else { return false }
        // Bytes 12 to 15 are the major brand's version, not a brand.
        let brands = [8] + Array(stride(from: 16, to: boxSize, by: 4))
        return brands.contains { bytes[$0..<$0 + 3].elementsEqual("mp4".utf8) }
    }

    /// §6.2.2: an EBML header whose document type is `webm`.
    static func isWebM(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        let bytes = UnsafeRawBufferPointer(rebasing: header)
        guard bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return false }
        for index in 4..<max(4, min(38, bytes.count - 2)) where bytes[index] == 0x42 && bytes[index + 1] == 0x82 {
            let element = bytes[(index + 2)...]
            if documentType(in: element)?.elementsEqual("webm".utf8) == true { return true }
        }
        return false
    }

    /// The content of an EBML element that starts at its size, without the zeros it may be padded with.
    private static func documentType(in element: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        guard let first = element.first, first != 0 else { return nil }
        // The leading zero bits give the length of the size (RFC 8794 §4).
        let width = first.leadingZeroBitCount + 1
        let content = element.dropFirst(width)
        let size = element.prefix(width).dropFirst().reduce(UInt64(first) & (0xFF >> UInt64(width))) {
            $0 << 8 | UInt64($1)
        }
        guard size <= UInt64(content.count) else { return nil }
        return content.prefix(Int(size)).drop { $0 == 0 }
    }
}

/// The head of an MPEG audio layer III frame (ISO/IEC 11172-3 §2.4.1.3).
///
/// Identifies an MP3 stream without an ID3 tag (WHATWG MIME Sniffing §6.2.3). The numbers follow the ISO standard,
/// because the text of §6.2.3 mixes up some of its conditions (https://github.com/whatwg/mimesniff/issues/70).
struct MP3Frame {
    /// The whole frame's size in bytes.
    let byteCount: Int

    /// Whether a frame starts at the first byte and another one directly after it: four bytes alone aren't conclusive.
    static func startsStream(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = MP3Frame(header) else { return false }
        return MP3Frame(header.dropFirst(first.byteCount)) != nil
    }

    /// Reads the four bytes of a frame's header. Returns nil unless they are of layer III with a known bit and sample
    /// rate.
    private init?(_ bytes: Slice<UnsafeRawBufferPointer>) {
        guard bytes.count >= 4 else { return nil }
        let head = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let (sync, layer) = (head >> 21, head >> 17 & 3)
        guard sync == 0x7FF, layer == 1, let version = Version(rawValue: head >> 19 & 3) else { return nil }
        let rates = version == .mpeg1 ? Self.kilobits : Self.lowKilobits
        let (bitIndex, sampleIndex) = (Int(head >> 12 & 15), Int(head >> 10 & 3))
        guard rates.indices.contains(bitIndex), Self.sampleRates.indices.contains(sampleIndex) else { return nil }
        let samplesPerByte = version == .mpeg1 ? 144 : 72
        let sampleRate = Self.sampleRates[sampleIndex] / version.sampleRateDivisor
        byteCount = rates[bitIndex] * 1_000 * samplesPerByte / sampleRate + Int(head >> 9 & 1)
        // Index 0 is the "free" format, in which the size of a frame isn't known.
        guard bitIndex > 0 else { return nil }
    }

    private enum Version: UInt32 {
        case mpeg25 = 0
        case mpeg2 = 2
        case mpeg1 = 3

        var sampleRateDivisor: Int {
            switch self {
            case .mpeg1: 1
            case .mpeg2: 2
            case .mpeg25: 4
            }
        }
    }

    private static let kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowKilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let sampleRates = [44_100, 48_000, 32_000]
}
