import Foundation

extension FoundationTests {
    static func foundationMapping(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping }
}
