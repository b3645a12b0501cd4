import Testing

@testable import bundlectl

struct QuantityTests {
    @Test("one is singular, and nothing else", arguments: [(0, "0 files"), (1, "1 file"), (2, "2 files")])
    func text(_ count: Int, _ text: String) {
        #expect(Quantity.text(count, "file") == text)
    }
}
