import BundleModel
import HTTPTypes

/// A validator that names one representation of a resource (RFC 9110 §8.8.3), for example `"xyzzy"` or `W/"xyzzy"`.
///
/// Two tags are `==` when they are spelled alike. To evaluate a request, use ``stronglyMatches(_:)`` or
/// ``weaklyMatches(_:)``. A value type; safe to share between threads.
public struct EntityTag: Hashable, Sendable {
    /// Whether the tag only says that contents are equivalent, not that their bytes are equal.
    public let isWeak: Bool
    /// The bytes between the quotes. Those above 0x7F have no agreed encoding (obs-text, RFC 9110 §5.5).
    package let bytes: [UInt8]

    /// The text between the quotes; bytes that aren't UTF-8 are replaced in it, and in nothing that is compared or sent.
    public var opaque: String { String(decoding: bytes, as: UTF8.self) }

    /// Parses a field value that is one tag. White space around it is allowed.
    ///
    /// - Returns: nil for anything else: no quotes, a lower-case `w/`, a character that a tag can't have, or several
    ///   tags.
    public init?(_ fieldValue: String) {
        self.init(only: FieldScanner(fieldValue))
    }

    /// The same for the bytes of a received field.
    package init?(_ field: HTTPField) {
        guard let tag = field.withUnsafeBytesOfValue({ EntityTag(only: FieldScanner(UnsafeRawBufferPointer($0))) })
        else { return nil }
        self = tag
    }

    private init?<Text>(only fieldValue: FieldScanner<Text>) {
        var scanner = fieldValue
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
        bytes = digest.withUnsafeBytes { Self.base64url($0.prefix(16)) }
    }

    /// The strong tag of the coded form of a content: the content's tag and the coding, `"…-br"`, and for a delta the
    /// beginning of the dictionary's digest, `"…-dcz-…"`. Another version of an encoder may make other bytes, which is
    /// harmless: the earlier ones decode to the same content, and parts are only sent of uncoded content.
    package init(_ key: VariantKey) {
        isWeak = false
        let dictionary = key.dictionary.map { "-" + EntityTag(digest: $0).opaque.prefix(8) } ?? ""
        bytes = EntityTag(digest: key.content).bytes + "-\(key.coding.token)\(dictionary)".utf8
    }

    /// Parses a tag at the scanner's position, which doesn't change when there is none.
    init?<Text>(scanning scanner: inout FieldScanner<Text>) {
        guard let tag = scanner.entityTag() else { return nil }
        isWeak = tag.isWeak
        bytes = Array(tag.opaque)
    }

    /// The tag as it is sent; see ``opaque`` for bytes that aren't UTF-8.
    public var fieldValue: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// The tag as a field of this name, with the bytes that it was received with.
    package func field(_ name: HTTPField.Name) -> HTTPField { HTTPField(name: name, value: fieldBytes) }

    private var fieldBytes: [UInt8] {
        let quote = UInt8(ascii: "\"")
        return (isWeak ? Array("W/".utf8) : []) + [quote] + bytes + [quote]
    }

    /// Strong comparison (RFC 9110 §8.8.3.2): neither tag is weak, and their texts are equal.
    public func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && hasSameText(as: other)
    }

    /// Weak comparison (RFC 9110 §8.8.3.2): their texts are equal.
    public func weaklyMatches(_ other: EntityTag) -> Bool {
        hasSameText(as: other)
    }

    private func hasSameText(as other: EntityTag) -> Bool { bytes == other.bytes }

    private static func base64url(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
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
        return text
    }
}

extension EntityTag: CustomStringConvertible {
    /// The same as ``fieldValue``.
    public var description: String { fieldValue }
}

extension FieldScanner {
    /// A tag (§8.8.3): whether it is weak, and the bytes between its quotes. Nil when there is none, and when it has
    /// U+FFFD: a network library that hands out text may have put it there for any other byte, so that different tags
    /// would be equal.
    mutating func entityTag() -> (isWeak: Bool, opaque: Text)? {
        let start = self
        let isWeak = take("W/")
        guard take("\""), case let opaque = take(while: { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }), take("\""),
            !opaque.containsReplacementCharacter
        else {
            self = start
            return nil
        }
        return (isWeak, opaque)
    }
}

extension Collection<UInt8> {
    /// Whether U+FFFD is among these bytes, in UTF-8. It stands for bytes that were lost when something decoded them.
    package var containsReplacementCharacter: Bool {
        indices.contains { self[$0] == 0xEF && self[$0...].starts(with: [0xEF, 0xBF, 0xBD]) }
    }
}

/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1 and §13.1.2): `*`, or a list of tags. A malformed
/// member matches nothing and hides no other member: a malformed `If-Match` fails, and a malformed `If-None-Match` gets
/// the content.
package struct EntityTagCondition {
    private let value: UnsafeRawBufferPointer

    /// - Parameter value: The field's value, which must outlive this.
    package init(_ value: UnsafeRawBufferPointer) {
        self.value = value
    }

    /// Whether it is `*`: any current representation.
    package var isAny: Bool {
        var scanner = FieldScanner(value)
        scanner.skipWhitespace()
        guard scanner.take("*") else { return false }
        scanner.skipWhitespace()
        return scanner.isAtEnd
    }

    /// Whether the tag of an existing representation matches, by strong comparison (RFC 9110 §8.8.3.2).
    package func includesStrongly(_ current: EntityTag?) -> Bool {
        isAny || current.map { tag in !tag.isWeak && lists { !$0 && tag.bytes.elementsEqual($1) } } ?? false
    }

    /// Whether the tag of an existing representation matches, by weak comparison (RFC 9110 §8.8.3.2).
    package func includesWeakly(_ current: EntityTag?) -> Bool {
        isAny || current.map(listsWeakly) ?? false
    }

    /// Whether the list names a tag, by weak comparison; `*` names none.
    package func listsWeakly(_ tag: EntityTag) -> Bool { lists { tag.bytes.elementsEqual($1) } }

    private func lists(_ isMeant: (_ isWeak: Bool, _ opaque: Slice<UnsafeRawBufferPointer>) -> Bool) -> Bool {
        var scanner = FieldScanner(value)
        while scanner.nextMember() {
            if let tag = scanner.entityTag(), scanner.memberEnds() {
                if isMeant(tag.isWeak, tag.opaque) { return true }
            } else {
                // Not `skipMember`: a stray quote would swallow the tags after it.
                _ = scanner.take { $0 != UInt8(ascii: ",") }
            }
        }
        return false
    }
}
