import BundleTesting
import Testing

@testable import BundleServing

@Suite("Lists of entity tags (RFC 9110 §13.1.1, §13.1.2, §5.6.1)")
struct EntityTagConditionTests {
    @Test(
        "well-formed tags are found, whatever else is in the list",
        arguments: [
            ("\"a\"", ["\"a\""]),
            ("\"a\", \"b\"", ["\"a\"", "\"b\""]),
            ("\"a\",W/\"b\"\t,\t\"c\"", ["\"a\"", "W/\"b\"", "\"c\""]),
            (",, \"a\" ,,\t, \"b\",", ["\"a\"", "\"b\""]),
            ("\"a,b\", \"c\"", ["\"a,b\"", "\"c\""]),
            ("", []), (" , ,", []),
            ("a, \"b\"", ["\"b\""]), ("\"a\" x, \"b\"", ["\"b\""]), ("\"a\"\"b\", \"c\"", ["\"c\""]),
            ("\"a, \"b\"", ["\"b\""]), ("x\"y, \"b\"", ["\"b\""]), ("w/\"a\", \"b\"", ["\"b\""]),
            ("*, \"a\"", ["\"a\""]), ("\"a\", *", ["\"a\""]), ("\"*\"", ["\"*\""]),
        ]
    )
    func tags(value: String, expected: [String]) {
        #expect(EntityTagCondition(value) == .oneOf(expected.compactMap { EntityTag($0) }))
    }

    @Test("an asterisk alone means any", arguments: ["*", " * ", "\t*"])
    func any(value: String) {
        #expect(EntityTagCondition(value) == .any)
    }

    @Test("any includes a representation without a tag; a list doesn't")
    func withoutTag() {
        #expect(EntityTagCondition("*").includes(nil, by: EntityTag.stronglyMatches))
        #expect(!EntityTagCondition("\"a\"").includes(nil, by: EntityTag.weaklyMatches))
    }

    @Test("a tag is found among garbage")
    func garbage() throws {
        var generator = SeededGenerator(seed: 7)
        let tag = try #require(EntityTag("\"needle\""))
        for _ in 0..<2_000 {
            let noise = generator.text(of: ["\"", "W/", "*", ",", " ", "a", "é", "\\", "\"b\"", "\u{0}", "\u{FFFD}"])
            let condition = EntityTagCondition(noise + ", , " + tag.fieldValue)
            #expect(condition.includes(tag, by: EntityTag.stronglyMatches), "after \(noise)")
        }
    }
}
