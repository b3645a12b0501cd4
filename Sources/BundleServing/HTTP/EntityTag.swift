import BundleStore

/// A validator that names one representation of a resource (RFC 9110 §8.8.3), for example `"xyzzy"` or `W/"xyzzy"`.
///
/// Two tags are `==` when they are spelled alike. To evaluate a request, use ``stronglyMatches(_:)`` or
/// ``weaklyMatches(_:)``. A value type; safe to share between threads.
public struct EntityTag: Sendable {
    /// Whether the tag only says that contents are equivalent, not that their bytes are equal.
    public let isWeak: Bool
    /// The text between the quotes.
    public let opaque: String

    /// Parses a field value that is one tag. White space around it is allowed.
    ///
    /// - Returns: nil for anything else: no quotes, a lower-case `w/`, a character that a tag can't have, or several
    ///   tags.
    public init?(_ fieldValue: String) {
        var scanner = FieldScanner(fieldValue)
        scanner.skipWhitespace()
        guard let tag = EntityTag(scanning: &scanner) else { return nil }
        scanner.skipWhitespace()
        guard scanner.isAtEnd else { return nil }
        self = tag
    }

    /// The length in bytes of a tag from a digest; the tags of all codings of the content begin with it.
    package static let digestByteCount = 22

    /// The strong tag of content with this digest: the digest's first 16 bytes in base64url (RFC 4648 §5), 22
    /// characters.
    ///
    /// A tag must only differ between contents of one URL, and it travels with every request and response. 128 bits
    /// make an accidental match practically impossible, and only the publisher could make two contents with one tag on
    /// purpose.
    public init(digest: Digest) {
        isWeak = false
        opaque = digest.withUnsafeBytes { Self.base64url($0.prefix(16)) }
    }

    /// The strong tag of the coded form of a content: the content's tag and the coding, `"…-br"`, and for a delta the
    /// beginning of the dictionary's digest, `"…-dcz-…"`. Another version of an encoder may make other bytes, which is
    /// harmless: the earlier ones decode to the same content, and parts are only sent of uncoded content.
    package init(_ key: VariantKey) {
        isWeak = false
        let dictionary = key.dictionary.map { "-" + EntityTag(digest: $0).opaque.prefix(8) } ?? ""
        opaque = "\(EntityTag(digest: key.content).opaque)-\(key.coding.token)\(dictionary)"
    }

    /// Parses a tag at the scanner's position, which doesn't change when there is none.
    init?<Text>(scanning scanner: inout FieldScanner<Text>) {
        guard let tag = scanner.entityTag() else { return nil }
        isWeak = tag.isWeak
        opaque = String(decoding: tag.opaque, as: UTF8.self)
    }

    /// The tag as it is sent.
    public var fieldValue: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Strong comparison (RFC 9110 §8.8.3.2): neither tag is weak, and their texts are equal.
    public func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && hasSameText(as: other)
    }

    /// Weak comparison (RFC 9110 §8.8.3.2): their texts are equal.
    public func weaklyMatches(_ other: EntityTag) -> Bool {
        hasSameText(as: other)
    }

    // Byte by byte: `==` on strings treats canonically equivalent texts as equal.
    private func hasSameText(as other: EntityTag) -> Bool {
        opaque.utf8.elementsEqual(other.opaque.utf8)
    }

    private static func base64url(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (pending, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xFFFF
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(pending >> bitCount & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(pending << (6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension EntityTag: Hashable {
    /// Whether both tags are spelled alike, byte by byte.
    public static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.isWeak == right.isWeak && left.hasSameText(as: right)
    }

    /// Hashes the bytes that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(isWeak)
        for byte in opaque.utf8 { hasher.combine(byte) }
    }
}

extension EntityTag: CustomStringConvertible {
    /// The same as ``fieldValue``.
    public var description: String { fieldValue }
}

extension FieldScanner {
    /// A tag (§8.8.3): whether it is weak, and the bytes between its quotes. Nil when there is none, and when it isn't
    /// UTF-8: bytes that are replaced while they are decoded would make different tags equal.
    mutating func entityTag() -> (isWeak: Bool, opaque: Text)? {
        let start = self
        let isWeak = take("W/")
        guard take("\""), case let opaque = take(while: { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }), take("\""),
            !opaque.contains(where: { $0 >= 0x80 }) || Self.isUTF8(opaque)
        else {
            self = start
            return nil
        }
        return (isWeak, opaque)
    }

    /// U+FFFD in the text may also be a replacement from earlier.
    private static func isUTF8(_ text: Text) -> Bool {
        !String(decoding: text, as: UTF8.self).unicodeScalars.contains("\u{FFFD}")
    }
}
