import Testing

@testable import BundleStore

@Suite("The name of a file in the store")
struct FileIdentifierTests {
    private static let digits: String = "00112233445566778899aabbccddeeff"

    @Test("is 32 lower-case hexadecimal digits")
    func name() {
        #expect(FileIdentifier(name: Self.digits)?.name == Self.digits)
        let random = FileIdentifier.random()
        #expect(FileIdentifier(name: random.name) == random)
    }

    @Test(
        "has no other spelling",
        arguments: [
            "", "0", digits.uppercased(), "0" + digits, String(digits.dropLast()), "+" + digits.dropFirst(),
            "-" + digits.dropFirst(), "g" + digits.dropFirst(), digits + ".segment", "０" + digits.dropFirst(),
        ]
    )
    func refused(_ name: String) {
        #expect(FileIdentifier(name: name) == nil)
    }
}
