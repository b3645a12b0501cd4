import BundleStore
import Testing

@testable import BundleServing

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
        "text is told by its start",
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

    @Test(
        "binary content is told by its signature",
        arguments: [
            ([0xFE, 0xFF, 0x00, 0x41] as [UInt8], "text/plain; charset=utf-16be"),
            ([0xFF, 0xFE, 0x41, 0x00], "text/plain; charset=utf-16le"),
            ([0xEF, 0xBB, 0xBF, 0x41], "text/plain; charset=utf-8"),
            ([0x00, 0x00, 0x01, 0x00], "image/vnd.microsoft.icon"),
            ([0x00, 0x00, 0x02, 0x00], "image/vnd.microsoft.icon"),
            (ascii("BM"), "image/bmp"), (ascii("GIF87a"), "image/gif"), (ascii("GIF89a"), "image/gif"),
            (ascii("RIFF") + [1, 2, 3, 4] + ascii("WEBPVP8 "), "image/webp"),
            ([0x89] + ascii("PNG\r\n") + [0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
            (ascii("FORM") + [0, 0, 0, 9] + ascii("AIFF"), "audio/aiff"), (ascii("ID3") + [3], "audio/mpeg"),
            (ascii("OggS") + [0], "application/ogg"), (ascii("MThd") + [0, 0, 0, 6], "audio/midi"),
            (ascii("RIFF") + [1, 2, 3, 4] + ascii("AVI "), "video/vnd.avi"),
            (ascii("RIFF") + [1, 2, 3, 4] + ascii("WAVE"), "audio/wav"),
            ([0x1F, 0x8B, 0x08, 0x00], "application/gzip"), (ascii("PK") + [3, 4], "application/zip"),
            (ascii("Rar ") + [0x1A, 0x07, 0x00], "application/vnd.rar"),
            ([0x00, 0x01, 0x00, 0x00], "font/ttf"), (ascii("OTTO") + [0], "font/otf"),
            (ascii("ttcf") + [0], "font/collection"),
            (ascii("wOFF") + [0], "font/woff"), (ascii("wOF2") + [0], "font/woff2"),
            ([UInt8](repeating: 0, count: 34) + ascii("LP"), "application/vnd.ms-fontobject"),
            ([0x00], "application/octet-stream"), ([0x61, 0x0B], "application/octet-stream"),
            ([0x89] + ascii("PN") + [0], "application/octet-stream"),
        ]
    )
    func signatures(content: [UInt8], expected: String) {
        #expect(sniff(content) == expected)
    }

    @Test("each control character but tab, line ends, form feed and escape makes content binary (§3)")
    func binaryBytes() {
        let text: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x1B]
        for byte in UInt8(0)..<0x20 {
            let expected = text.contains(byte) ? "text/plain; charset=utf-8" : "application/octet-stream"
            #expect(sniff(ascii("text") + [byte]) == expected, "\(byte)")
        }
    }

    @Test("text that isn't UTF-8 is given no charset")
    func otherEncodings() {
        #expect(sniff(ascii("Gr") + [0xFC, 0xDF] + ascii("e")) == "text/plain")
        #expect(sniff(ascii("<p>Gr") + [0xFC, 0xDF] + ascii("e")) == "text/html")
        #expect(sniff(ascii("a") + [0xC3]) == "text/plain")
    }

    @Test("only the first 1445 bytes count, and a character cut there is no error", arguments: [1, 2, 3, 4])
    func header(offset: Int) {
        let start = String(repeating: "x", count: MediaTypeSniffer.headerByteCount - offset)
        #expect(
            sniff(Array((start + "😀").utf8) + [0]) == (offset == 4 ? "text/plain; charset=utf-8" : sniff(start + "😀"))
        )
        #expect(sniff(start + "😀 and more") == "text/plain; charset=utf-8")
        #expect(sniff(Array((start + "abcd").utf8) + [0x00]) == "text/plain; charset=utf-8")
    }

    private func sniff(_ text: String) -> String { sniff(Array(text.utf8)) }

    private func sniff(_ bytes: [UInt8]) -> String { MediaTypeSniffer.sniff(ByteSlice(copying: bytes)).string }
}

private func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
