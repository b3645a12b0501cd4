import HTTPTypes
import Testing

@testable import BundleServing

@Suite("If-Range (RFC 9110 §13.1.5)")
struct IfRangeTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "a strong tag or the exact date holds, nothing else",
        arguments: [
            ("\"now\"", true), ("\"old\"", false), ("W/\"now\"", false), ("now", false), ("*", false), ("", false),
            ("\"now\", \"old\"", false), (date, true), ("Sunday, 06-Nov-94 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:36 GMT", false), ("Sun, 06 Nov 1994 08:49:38 GMT", false), ("tomorrow", false),
        ]
    )
    func condition(value: String, holds: Bool) {
        let validators = Validators(entityTag: EntityTag("\"now\""), lastModified: HTTPDate(Self.date))
        #expect(IfRange.holds([.ifRange: value], validators: validators) == holds)
    }

    @Test("without the field there is no condition")
    func absent() {
        #expect(IfRange.holds([:], validators: Validators()))
    }

    @Test(
        "a representation without validators, or with a weak one, satisfies none",
        arguments: ["\"now\"", "W/\"now\"", date]
    )
    func withoutValidators(value: String) {
        #expect(!IfRange.holds([.ifRange: value], validators: Validators()))
        #expect(!IfRange.holds([.ifRange: value], validators: Validators(entityTag: EntityTag("W/\"now\""))))
    }
}
