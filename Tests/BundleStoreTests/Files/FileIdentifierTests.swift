import Testing

@testable import BundleStore

@Suite("The name of a file in the store")
struct FileIdentifierTests {
    private static let sample: String = "00112233445566778899aabbccddeeff"

    @Test("is 32 lower-case hexadecimal digits")
    func name() {
        #expect(FileIdentifier(name: Self.sample)?.name == Self.sample)
        let random = FileIdentifier.random()
        #expect(FileIdentifier(name: random.name) == random)
    }

    @Test(
        "has no other spelling",
        arguments: [
            "", "0", sample.uppercased(), "0" + sample, String(sample.dropLast()), "+" + sample.dropFirst(),
            "-" + sample.dropFirst(),
            "g" + sample.dropFirst(), sample + ".segment", "０" + sample.dropFirst(),
        ]
    )
    func refused(_ name: String) {
        #expect(FileIdentifier(name: name) == nil)
    }
}
