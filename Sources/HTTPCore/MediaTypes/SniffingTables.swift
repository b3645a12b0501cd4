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
