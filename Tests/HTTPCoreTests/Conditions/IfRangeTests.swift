import BundleStore
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("If-Range (RFC 9110 §13.1.5)")
struct IfRangeTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "a strong tag, or the exact date if it is strong, matches; nothing else does",
        arguments: [
            ("\"now\"", true), ("\"old\"", false), ("W/\"now\"", false), ("now", false), ("*", false), ("", false),
            ("\"now\", \"old\"", false), (date, true), ("Sunday, 06-Nov-94 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:36 GMT", false), ("Sun, 06 Nov 1994 08:49:38 GMT", false), ("tomorrow", false),
        ]
    )
    func condition(value: String, isTrue: Bool) {
        for isDateStrong in [true, false] {
            let validators = Validators(
                entityTag: EntityTag("\"now\""),
                lastModified: HTTPDate(Self.date),
                isDateStrong: isDateStrong
            )
            let isDate = HTTPDate(value) != nil
            #expect(holds([.ifRange: value], validators: validators) == (isTrue && (isDateStrong || !isDate)))
        }
    }

    @Test(
        "a date is strong without a tag, if the origin's Date is a second later (§8.8.2.2)",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:38 GMT", nil, true), (date, nil, false),
            ("Sun, 06 Nov 1994 08:49:36 GMT", nil, false),
            ("yesterday", nil, false), (nil, nil, false), ("Sun, 06 Nov 1994 08:49:38 GMT", "\"now\"", false),
        ] as [(String?, String?, Bool)]
    )
    func strength(_ date: String?, _ tag: String?, _ isStrong: Bool) {
        var fields = HTTPFields()
        fields[.date] = date
        let representation = Representation(
            mediaType: nil,
            content: ByteSlice(copying: []),
            entityTag: tag.flatMap { EntityTag($0) },
            lastModified: HTTPDate(Self.date)?.date,
            fields: fields
        )
        #expect(representation.validators.isDateStrong == isStrong)
    }

    @Test("without the field there is no condition")
    func absent() {
        #expect(holds([:], validators: Validators()))
    }

    @Test(
        "a representation without validators, or with a weak one, matches nothing",
        arguments: ["\"now\"", "W/\"now\"", date]
    )
    func withoutValidators(value: String) {
        #expect(!holds([.ifRange: value], validators: Validators()))
        #expect(!holds([.ifRange: value], validators: Validators(entityTag: EntityTag("W/\"now\""))))
    }

    private func holds(_ fields: HTTPFields, validators: Validators) -> Bool {
        RequestConditions.withConditions(of: fields) { IfRange.holds($0, validators: validators) }
    }
}
