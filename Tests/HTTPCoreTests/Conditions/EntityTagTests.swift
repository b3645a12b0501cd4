import BundleStore
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Entity tags (RFC 9110 §8.8.3)")
struct EntityTagTests {
    @Test(
        "a tag is read and written back as it was",
        arguments: [
            (#""xyzzy""#, false, "xyzzy"), (#"W/"xyzzy""#, true, "xyzzy"), (#""""#, false, ""), (#"W/"""#, true, ""),
            (#""a,b""#, false, "a,b"), (#""W/""#, false, "W/"), (#""!#~""#, false, "!#~"), (#""\""#, false, "\\"),
            (#""grün""#, false, "grün"),
        ]
    )
    func wellFormed(value: String, isWeak: Bool, opaque: String) throws {
        let tag = try #require(EntityTag(value))
        #expect(tag.isWeak == isWeak)
        #expect(tag.opaque == opaque)
        #expect(tag.fieldValue == value)
        #expect(tag.description == value)
    }

    @Test("white space around a tag isn't part of it")
    func whitespace() {
        #expect(EntityTag(" \t\"a\" ")?.opaque == "a")
    }

    @Test(
        "anything but one tag is refused",
        arguments: [
            "", " ", "*", "xyzzy", "\"xyzzy", "xyzzy\"", "w/\"xyzzy\"", "W\"xyzzy\"", "W/ \"xyzzy\"", "W/xyzzy",
            "\"a b\"",
            "\"a\"b\"", "\"a\", \"b\"", "'a'", "\"a\u{7F}\"", "\"\t\"", "\"\u{FFFD}\"", "\"", "W/\"", "W/",
        ]
    )
    func malformed(value: String) {
        #expect(EntityTag(value) == nil)
    }

    /// The table of §8.8.3.2.
    @Test(
        "strong and weak comparison differ as the RFC's table says",
        arguments: [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true), ("\"1\"", "\"2\"", false, false),
        ]
    )
    func comparison(left: String, right: String, strong: Bool, weak: Bool) throws {
        let (left, right) = (try #require(EntityTag(left)), try #require(EntityTag(right)))
        #expect(left.stronglyMatches(right) == strong)
        #expect(right.stronglyMatches(left) == strong)
        #expect(left.weaklyMatches(right) == weak)
        #expect(right.weaklyMatches(left) == weak)
    }

    @Test("texts that are only canonically equivalent are different tags")
    func canonicalEquivalence() throws {
        let (composed, decomposed) = (
            try #require(EntityTag("\"\u{E9}\"")), try #require(EntityTag("\"e\u{301}\""))
        )
        #expect(!composed.stronglyMatches(decomposed))
        #expect(!composed.weaklyMatches(decomposed))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    /// `"été"` in Latin-1, and another tag that looks the same once it has been decoded as UTF-8.
    private static let latin1: [UInt8] = [0x22, 0xE9, 0x74, 0xE9, 0x22]
    private static let other: [UInt8] = [0x22, 0xE8, 0x74, 0xE8, 0x22]

    @Test("§8.8.3: obs-text in a tag is read, compared and written byte by byte")
    func obsText() throws {
        let tag = try #require(EntityTag(HTTPField(name: .eTag, value: Self.latin1)))
        let other = try #require(EntityTag(HTTPField(name: .eTag, value: Self.other)))
        #expect(tag.bytes == [0xE9, 0x74, 0xE9])
        #expect(tag.field(.ifNoneMatch) == HTTPField(name: .ifNoneMatch, value: Self.latin1))
        #expect(EntityTag(tag.field(.eTag)) == tag)
        #expect(!tag.weaklyMatches(other) && tag != other && tag.opaque == other.opaque)
        let weak = try #require(EntityTag(HTTPField(name: .eTag, value: Array("W/".utf8) + Self.latin1)))
        #expect(weak.isWeak && weak.weaklyMatches(tag) && !weak.stronglyMatches(tag))
    }

    @Test("a digest's tag is its first 16 bytes in base64url, and strong")
    func digest() throws {
        let digest = try #require(Digest(hex: "fbf0ff000102030405060708090a0b0c" + String(repeating: "ee", count: 16)))
        let tag = EntityTag(digest: digest)
        #expect(tag.fieldValue == "\"-_D_AAECAwQFBgcICQoLDA\"")
        #expect(!tag.isWeak)
        #expect(EntityTag(tag.fieldValue) == tag)
    }

    @Test("different contents have different tags")
    func differentDigests() {
        let tags = (0..<1_000).map { EntityTag(digest: Digest(of: Array("content \($0)".utf8))) }
        #expect(Set(tags).count == tags.count)
    }
}
