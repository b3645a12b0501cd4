import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("QualityValue (RFC 9110 §12.4.2)")
struct QualityValueTests {
    @Test(
        "zero to one with three decimals at most",
        arguments: [
            ("0", 0), ("1", 1_000), ("0.5", 500), ("0.25", 250), ("0.001", 1), ("1.000", 1_000), ("1.", 1_000),
            ("0.", 0),
            ("", nil), ("1.001", nil), ("2", nil), ("0.1234", nil), (".5", nil), ("0,5", nil), ("-0", nil),
            ("0.x", nil),
            ("00", nil), ("0x1", nil),
        ] as [(String, Int?)]
    )
    func weights(_ text: String, _ expected: Int?) {
        #expect(QualityValue.thousandths(of: text.utf8) == expected)
    }
}
