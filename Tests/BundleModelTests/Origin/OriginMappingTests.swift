import Testing

@testable import BundleModel

@Suite("OriginMapping")
struct OriginMappingTests {
    @Test("a mapping shows both sides")
    func description() throws {
        let origin = try OriginURL("https://a/shop")
        #expect(OriginMapping(origin: origin).description == "https://a/shop/ ↔ /")
        #expect(OriginMapping(origin: origin, folder: try BundlePath("x/y")).description == "https://a/shop/ ↔ /x/y/")
    }
}
