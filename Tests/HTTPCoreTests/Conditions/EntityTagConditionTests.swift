import BundleTesting
import Testing

@testable import BundleServing
@testable import HTTPCore

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
    func tags(value: String, expected: [String]) throws {
        for text in ["\"a\"", "\"b\"", "\"c\"", "\"a,b\"", "\"*\"", "\"x\"", "\"\""] {
            let tag = try #require(EntityTag(text))
            let isExpected = expected.contains { $0 == text || $0 == "W/\(text)" }
            #expect(value.condition { $0.listsWeakly(tag) } == isExpected, "\(text)")
            #expect(value.condition { $0.includesStrongly(tag) } == expected.contains(text), "\(text)")
        }
    }

    @Test("an asterisk alone means any", arguments: ["*", " * ", "\t*"])
    func any(value: String) {
        #expect(value.condition(\.isAny))
    }

    @Test("an asterisk beside something else means nothing", arguments: ["**", "* *", "*,", "\"*\"", ""])
    func noneOfAny(value: String) {
        #expect(!value.condition(\.isAny))
    }

    @Test("any includes a representation without a tag; a list doesn't")
    func withoutTag() {
        #expect("*".condition { $0.includesStrongly(nil) })
        #expect(!"\"a\"".condition { $0.includesWeakly(nil) })
    }

    @Test("a tag is found among garbage")
    func garbage() throws {
        var generator = SeededGenerator(seed: 7)
        let tag = try #require(EntityTag("\"needle\""))
        for _ in 0..<2_000 {
            let noise = generator.text(of: ["\"", "W/", "*", ",", " ", "a", "é", "\\", "\"b\"", "\u{0}", "\u{FFFD}"])
            let value = noise + ", , " + tag.fieldValue
            #expect(value.condition { $0.includesStrongly(tag) }, "after \(noise)")
        }
    }
}

extension String {
    /// Passes on a condition with this value.
    fileprivate func condition<Result>(_ body: (EntityTagCondition) -> Result) -> Result {
        var value = self
        return value.withUTF8 { body(EntityTagCondition(UnsafeRawBufferPointer($0))) }
    }
}
