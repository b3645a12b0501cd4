import BundleModel


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
