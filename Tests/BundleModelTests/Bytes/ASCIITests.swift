import Testing

@testable import BundleModel

@Suite("ASCII")
struct ASCIITests {
    @Test(
        "each kind has exactly its bytes",
        arguments: [
            (ASCII.isDigit, "0123456789"), (ASCII.isUppercase, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            (ASCII.isLetter, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
            (ASCII.isAlphanumeric, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
            (ASCII.isBlank, "\t "),
            // RFC 9110 §5.6.2, in the order of their codes.
            (
                HTTPSyntax.isTokenByte,
                "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"
            ),
        ] as [(@Sendable (UInt8) -> Bool, String)]
    )
    func kinds(_ isMember: @Sendable (UInt8) -> Bool, _ members: String) {
        #expect((0...UInt8.max).filter(isMember) == Array(members.utf8))
    }

    @Test(
        "spaces and tabs are taken from both ends and left inside",
        arguments: [
            ("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), (" a", "a"), ("a\t", "a"), (" \ta b\t ", "a b"),
            ("\na ", "\na"),
            // A combining mark forms a character with the space before it, but with no other byte.
            (" \u{301}a", "\u{301}a"),
        ]
    )
    func trimming(_ text: String, _ expected: String) {
        #expect(Array(text.utf8.trimmingBlanks) == Array(expected.utf8))
        #expect(Array(Array(text.utf8)[...].trimmingBlanks) == Array(expected.utf8))
    }

    @Test(
        "an even number of hexadecimal digits of either case are bytes",
        arguments: [
            ("", []), ("00", [0]), ("fFa0", [0xFF, 0xA0]), ("f", nil), ("abc", nil), ("0g", nil), (" 0", nil),
            ("a\u{301}a", nil), ("\u{FF11}\u{FF11}", nil),
        ] as [(String, [UInt8]?)]
    )
    func hexadecimalBytes(_ digits: String, _ bytes: [UInt8]?) {
        #expect(Hexadecimal.bytes(of: digits) == bytes)
        if let bytes { #expect(Hexadecimal.string(of: bytes) == digits.lowercased()) }
    }
}
