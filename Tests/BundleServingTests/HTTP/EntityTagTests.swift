import BundleStore
import Testing

@testable import BundleServing

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
