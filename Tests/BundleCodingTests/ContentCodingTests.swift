import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleCoding

@Suite("ContentEncoder and ContentDecoder")
struct ContentCodingTests {
    private static let codings: [ContentCoding] = [.gzip, .zstandard, .brotli]
    private static let sample = Array(String(repeating: "function add(a, b) { return a + b; }\n", count: 500).utf8)

    private func encode(_ content: [UInt8], _ coding: ContentCoding, within byteCount: Int? = nil) -> [UInt8]? {
        content.withUnsafeBytes {
            ContentEncoder.encode($0, as: coding, within: byteCount ?? $0.count - 1, giveWay: {})
        }
    }

    private func decodes(_ coded: [UInt8], to content: [UInt8], _ coding: ContentCoding) -> Bool {
        coded.withUnsafeBytes { coded in
            content.withUnsafeBytes { ContentDecoder.decodes(coded, to: $0, from: coding) }
        }
    }

    @Test("coded content decodes to the original, and is much smaller", arguments: codings)
    func roundTrip(_ coding: ContentCoding) throws {
        let coded = try #require(encode(Self.sample, coding))
        #expect(coded.count < Self.sample.count / 20)
        #expect(decodes(coded, to: Self.sample, coding))
    }

    @Test("contents of several megabytes are coded and decoded", arguments: codings)
    func large(_ coding: ContentCoding) throws {
        // Text that doesn't repeat as a whole, longer than every piece, and than every window except Zstandard's.
        let content = Array((0..<400_000).map { "\($0 &* 2_654_435_761 % 99_991)," }.joined().utf8)
        let coded = try #require(encode(content, coding))
        #expect(decodes(coded, to: content, coding))
    }

    @Test("a result that isn't smaller is nil", arguments: codings)
    func noGain(_ coding: ContentCoding) throws {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.noise(5_000)
        #expect(encode(noise, coding) == nil)
        let coded = try #require(encode(Self.sample, coding))
        #expect(encode(Self.sample, coding, within: coded.count / 2) == nil)
        #expect(encode([], coding) == nil)
        #expect(encode([1], coding) == nil)
    }

    @Test("one byte more, one less or one changed is a mismatch", arguments: codings)
    func different(_ coding: ContentCoding) throws {
        let coded = try #require(encode(Self.sample, coding))
        #expect(!decodes(coded, to: Self.sample + [0], coding))
        #expect(!decodes(coded, to: Self.sample.dropLast(), coding))
        var changed = Self.sample
        changed[changed.count / 2] ^= 1
        #expect(!decodes(coded, to: changed, coding))
    }

    @Test("truncated data, trailing data and data in no coding are mismatches", arguments: codings)
    func malformed(_ coding: ContentCoding) throws {
        let coded = try #require(encode(Self.sample, coding))
        for count in [0, 1, coded.count / 2, coded.count - 1] {
            #expect(!decodes(Array(coded.prefix(count)), to: Self.sample, coding))
        }
        #expect(!decodes(coded + [0], to: Self.sample, coding))
        #expect(!decodes(Self.sample, to: Self.sample, coding))
        for other in Self.codings where other != coding { #expect(!decodes(coded, to: Self.sample, other)) }
    }

    @Test("decoding a bomb stops at the first excess byte", arguments: codings)
    func bomb(_ coding: ContentCoding) throws {
        let zeros = [UInt8](repeating: 0, count: 20 << 20)
        let coded = try #require(encode(zeros, coding))
        #expect(!decodes(coded, to: Array(zeros.prefix(100)), coding))
    }

    @Test("a Zstandard window is at most 8 MB (RFC 9659 §3)")
    func window() throws {
        let content = [UInt8](repeating: 7, count: 20 << 20)
        let coded = try #require(encode(content, .zstandard))
        // RFC 8878 §3.1.1.1: no single segment, so a window descriptor follows; its exponent is at most 13 for 8 MB.
        #expect(coded[4] & 0x20 == 0)
        #expect(coded[5] >> 3 <= 13)
    }

    @Test("identity isn't encoded")
    func identity() {
        #expect(encode(Self.sample, .identity) == nil)
        #expect(!decodes(Self.sample, to: Self.sample, .identity))
    }
}
