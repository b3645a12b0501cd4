import BundleStore
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Media type sniffing (WHATWG MIME Sniffing §7.1)")
struct MediaTypeSnifferTests {
    @Test(
        "a tag at the start is HTML",
        arguments: [
            "<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A", "<STYLE",
            "<TITLE", "<B", "<BODY", "<BR", "<P", "<!--",
        ]
    )
    func tags(tag: String) {
        for text in [tag + ">", tag + " x", tag.lowercased() + ">", "\t\n\u{C}\r " + tag + ">"] {
            #expect(sniff(text) == "text/html; charset=utf-8", "\(text)")
        }
        for text in [tag, tag + "\n", tag + "x>", "x" + tag + ">", "\u{B}" + tag + ">", "\u{A0}" + tag + ">"] {
            #expect(!sniff(text).hasPrefix("text/html"), "\(text)")
        }
    }

    @Test(
        "text is recognised by its start",
        arguments: [
            ("<?xml version=\"1.0\"?>", "text/xml"), (" \n<?xml", "text/xml"), ("<?XML", "text/plain; charset=utf-8"),
            ("%PDF-1.7", "application/pdf"), (" %PDF-1.7", "text/plain; charset=utf-8"),
            ("%!PS-Adobe-3.0", "application/postscript"), ("%!PS", "text/plain; charset=utf-8"),
            ("", "text/plain; charset=utf-8"), ("hello", "text/plain; charset=utf-8"),
            ("Größe 10 €", "text/plain; charset=utf-8"), ("{\"a\": 1}", "text/plain; charset=utf-8"),
            ("<article of faith>", "text/plain; charset=utf-8"), ("\u{1B}[1m", "text/plain; charset=utf-8"),
            (String(repeating: "x", count: 34) + "LP", "text/plain; charset=utf-8"),
        ]
    )
    func text(content: String, expected: String) {
        #expect(sniff(content) == expected)
    }

    /// Each character is one byte.
    private static let signatures: [(content: String, type: String)] = [
        ("\u{FE}\u{FF}\0A", "text/plain; charset=utf-16be"),
        ("\u{FF}\u{FE}A\0", "text/plain; charset=utf-16le"),
        ("\u{EF}\u{BB}\u{BF}A", "text/plain; charset=utf-8"),
        ("\0\0\u{1}\0", "image/vnd.microsoft.icon"),
        ("\0\0\u{2}\0", "image/vnd.microsoft.icon"),
        ("BM", "image/bmp"),
        ("GIF87a", "image/gif"),
        ("GIF89a", "image/gif"),
        ("RIFF1234WEBPVP8 ", "image/webp"),
        ("\u{89}PNG\u{D}\u{A}\u{1A}\u{A}", "image/png"),
        ("\u{FF}\u{D8}\u{FF}\u{E0}", "image/jpeg"),
        ("FORM1234AIFF", "audio/aiff"),
        ("ID3", "audio/mpeg"),
        ("OggS\0", "application/ogg"),
        ("MThd\0\0\0\u{6}", "audio/midi"),
        ("RIFF1234AVI ", "video/vnd.avi"),
        ("RIFF1234WAVE", "audio/wav"),
        ("\u{1F}\u{8B}\u{8}", "application/gzip"),
        ("PK\u{3}\u{4}", "application/zip"),
        ("Rar \u{1A}\u{7}\0", "application/vnd.rar"),
        ("\0\u{1}\0\0", "font/ttf"),
        ("OTTO\0", "font/otf"),
        ("ttcf\0", "font/collection"),
        ("wOFF\0", "font/woff"),
        ("wOF2\0", "font/woff2"),
        (String(repeating: "\0", count: 34) + "LP", "application/vnd.ms-fontobject"),
        ("\0", "application/octet-stream"),
        ("a\u{B}", "application/octet-stream"),
        ("\u{89}PN\0", "application/octet-stream"),
    ]

    @Test("binary content is recognised by its signature", arguments: signatures)
    func signature(content: String, expected: String) {
        #expect(sniff(content.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) == expected)
    }

    @Test("each control character except tab, line ends, form feed and escape makes content binary (§3)")
    func binaryBytes() {
        let text: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x1B]
        for byte in UInt8(0)..<0x20 {
            let expected = text.contains(byte) ? "text/plain; charset=utf-8" : "application/octet-stream"
            #expect(sniff(ascii("text") + [byte]) == expected, "\(byte)")
        }
    }

    @Test("text that isn't UTF-8 gets no charset")
    func otherEncodings() {
        #expect(sniff(ascii("Gr") + [0xFC, 0xDF] + ascii("e")) == "text/plain")
        #expect(sniff(ascii("<p>Gr") + [0xFC, 0xDF] + ascii("e")) == "text/html")
        #expect(sniff(ascii("a") + [0xC3]) == "text/plain")
    }

    @Test("only the first 1445 bytes count, and a character cut there isn't an error", arguments: 0...4)
    func header(byteCountOfCharacter: Int) {
        let start = String(repeating: "x", count: MediaTypeSniffer.headerByteCount - byteCountOfCharacter)
        #expect(sniff(start + "😀\0") == "text/plain; charset=utf-8")
        #expect(sniff(String(start.dropLast()) + "\0😀") == "application/octet-stream")
    }

    @Test("a character cut at the end of the content is an error", arguments: 1...3)
    func cutCharacter(byteCount: Int) {
        let start = Array(repeating: UInt8(ascii: "x"), count: MediaTypeSniffer.headerByteCount - byteCount)
        #expect(sniff(start + Array("😀".utf8.prefix(byteCount))) == "text/plain")
    }

    private func sniff(_ text: String) -> String { sniff(Array(text.utf8)) }

    private func sniff(_ bytes: [UInt8]) -> String { MediaTypeSniffer.sniff(ByteSlice(copying: bytes)).string }
}

private func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
