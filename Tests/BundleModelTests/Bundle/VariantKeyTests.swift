import Testing

@testable import BundleModel

@Suite("VariantKey")
struct VariantKeyTests {
    private static let digits = String(repeating: "ab", count: 32)

    @Test("a file's name gives the key", arguments: [("br", ContentCoding.brotli), ("gz", .gzip), ("zst", .zstandard)])
    func names(_ ext: String, _ coding: ContentCoding) throws {
        let key = try #require(VariantKey(fileName: "\(Self.digits).\(ext)"))
        #expect(key.coding == coding)
        #expect(key.fileName == "\(Self.digits).\(ext)")
    }

    @Test("a delta's file name includes its dictionary")
    func deltas() throws {
        let dictionary = String(repeating: "cd", count: 32)
        let key = try #require(VariantKey(fileName: "\(Self.digits).\(dictionary).dcz"))
        #expect(key.coding == .dictionaryZstandard)
        #expect(key.content.hex == Self.digits)
        #expect(key.dictionary?.hex == dictionary)
        #expect(key.fileName == "\(Self.digits).\(dictionary).dcz")
    }

    @Test(
        "other names have no key",
        arguments: [
            "", ".", "br", digits, "\(digits).", "\(digits).xz", "\(digits).BR", "\(digits).br.gz", "x\(digits).br",
            "\(digits.uppercased()).br", "\(digits.dropLast()).br",
            "\(digits).dcz", "\(digits).\(digits).br", "\(digits).x.dcz", "\(digits).\(digits).\(digits).dcz",
        ]
    )
    func others(_ name: String) {
        #expect(VariantKey(fileName: name) == nil)
    }
}
