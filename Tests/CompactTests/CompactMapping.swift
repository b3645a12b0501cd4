import CompactFoundation

extension FoundationTests {
    static func compactMapping(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping }
}
