import Testing

@testable import BundleStore

@Suite("VariantKey")
struct VariantKeyTests {
    private static let digits = String(repeating: "ab", count: 32)

    @Test("a file's name tells the key", arguments: [("br", ContentCoding.brotli), ("gz", .gzip), ("zst", .zstandard)])
    func names(_ ext: String, _ coding: ContentCoding) throws {
        let key = try #require(VariantKey(fileName: "\(Self.digits).\(ext)"))
        #expect(key.coding == coding)
        #expect(key.fileName == "\(Self.digits).\(ext)")
    }

    @Test(
        "other names are nobody's",
        arguments: [
            "", ".", "br", digits, "\(digits).", "\(digits).xz", "\(digits).BR", "\(digits).br.gz", "x\(digits).br",
            "\(digits.uppercased()).br", "\(digits.dropLast()).br",
        ]
    )
    func others(_ name: String) {
        #expect(VariantKey(fileName: name) == nil)
    }
}
