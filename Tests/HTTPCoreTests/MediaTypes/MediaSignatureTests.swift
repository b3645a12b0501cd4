import BundleStore
import BundleTesting
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Signatures of MP4, WebM and MP3 (WHATWG MIME Sniffing §6.2.1 to §6.2.3)")
struct MediaSignatureTests {
    private static let boxes: [(content: [UInt8], isMP4: Bool)] = [
        (box(20, "ftyp", ["mp42", "\0\0\0\0", "isom"]), true),
        (box(24, "ftyp", ["isom", "mp41", "isom", "mp41"]), true),
        (box(12, "ftyp", ["mp41"]), true),
        (box(20, "ftyp", ["isom", "mp41", "avc1"]), false),
        (box(20, "ftyp", ["avif", "\0\0\0\0", "mif1"]), false),
        (box(20, "moov", ["mp42", "\0\0\0\0", "isom"]), false),
        (box(24, "ftyp", ["mp42", "\0\0\0\0", "isom"]), false),
        (box(18, "ftyp", ["mp42", "\0\0\0\0", "isom"]), false),
        (box(.max, "ftyp", ["mp42"]), false),
        (box(0, "ftyp", ["isom", "\0\0\0\0", "mp41"]), false),
        (box(8, "ftyp", []), false),
    ]

    @Test("an ftyp box with an mp4 brand is MP4", arguments: boxes)
    func mp4(content: [UInt8], expected: Bool) {
        #expect((sniff(content) == "video/mp4") == expected)
    }

    /// The bytes after the four of EBML's own signature.
    private static let documentTypes: [(content: String, isWebM: Bool)] = [
        ("\u{9F}\u{42}\u{82}\u{84}webm", true),
        ("\u{9F}\u{42}\u{82}\u{84}webm\u{42}\u{87}", true),
        ("\u{9F}\u{42}\u{82}\u{40}\u{4}webm", true),
        ("\u{9F}\u{42}\u{82}\u{1}\0\0\0\0\0\0\u{4}webm", true),
        ("\u{9F}\u{42}\u{82}\u{86}\0\0webm", true),
        ("\u{9F}\u{42}\u{86}\u{81}\u{1}\u{42}\u{82}\u{84}webm", true),
        ("\u{9F}\u{42}\u{82}\u{88}matroska", false),
        ("\u{9F}\u{42}\u{82}\u{85}webm", false),
        ("\u{9F}\u{42}\u{82}\u{83}webm", false),
        ("\u{9F}\u{42}\u{82}\0webm", false),
        ("\u{9F}\u{42}\u{82}\u{1}\u{FF}\u{FF}\u{FF}\u{FF}\u{FF}\u{FF}\u{FF}webm", false),
        (String(repeating: "\u{EC}", count: 40) + "\u{42}\u{82}\u{84}webm", false),
        ("\u{42}\u{82}", false),
        ("\u{42}", false),
        ("", false),
    ]

    private static let ebml: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]

    @Test("an EBML header whose document type is webm is WebM", arguments: documentTypes)
    func webM(content: String, expected: Bool) {
        let bytes = content.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect((sniff(Self.ebml + bytes) == "video/webm") == expected)
        #expect(sniff([0x1A, 0x45, 0xDF, 0xA4] + bytes) != "video/webm")
    }

    @Test(
        "two MP3 frames in a row are MP3",
        arguments: [
            ([0xFF, 0xFB, 0x90, 0x00] as [UInt8], 417), ([0xFF, 0xFB, 0x92, 0x00], 418),
            ([0xFF, 0xFB, 0xE8, 0x00], 1_440),
            ([0xFF, 0xFB, 0xEA, 0x00], 1_441), ([0xFF, 0xFA, 0x14, 0x00], 96), ([0xFF, 0xF3, 0x90, 0x00], 261),
            ([0xFF, 0xE3, 0x90, 0x00], 522),
        ]
    )
    func mp3(head: [UInt8], byteCount: Int) {
        let frame = head + [UInt8](repeating: 0, count: byteCount - 4)
        #expect(sniff(frame + head) == "audio/mpeg")
        #expect(sniff(frame + [0] + head) != "audio/mpeg")
        #expect(sniff(frame + head.dropLast()) != "audio/mpeg")
        #expect(sniff(head) != "audio/mpeg")
    }

    @Test(
        "a header that no MP3 frame has isn't MP3",
        arguments: [
            [0xFF, 0xFD, 0x90, 0x00] as [UInt8], [0xFF, 0xF9, 0x90, 0x00], [0xFF, 0xEB, 0x90, 0x00],
            [0xFF, 0xFB, 0xF0, 0x00],
            [0xFF, 0xFB, 0x9C, 0x00], [0xFF, 0xFB, 0x00, 0x00], [0xFE, 0xFB, 0x90, 0x00], [0xFF, 0x1B, 0x90, 0x00],
        ]
    )
    func notMP3(head: [UInt8]) {
        #expect(sniff((0..<360).flatMap { _ in head }) != "audio/mpeg")
    }

    @Test("no content traps")
    func garbage() {
        var generator = SeededGenerator(seed: 6)
        let starts: [[UInt8]] = [
            Self.ebml, [0xFF, 0xFB], [0, 0, 0, 20] + Array("ftyp".utf8), Self.ebml + [0x42, 0x82], [],
        ]
        for round in 0..<5_000 {
            let tail = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(MediaType(sniff(starts[round % starts.count] + tail)) != nil)
        }
    }

    private func sniff(_ bytes: [UInt8]) -> String { MediaTypeSniffer.sniff(ByteSlice(copying: bytes)).string }
}

private func box(_ size: UInt32, _ name: String, _ brands: [String]) -> [UInt8] {
    withUnsafeBytes(of: size.bigEndian, Array.init) + Array(name.utf8) + brands.flatMap { Array($0.utf8) }
}
