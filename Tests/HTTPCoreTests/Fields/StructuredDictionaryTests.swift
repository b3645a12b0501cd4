import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Dictionaries of structured fields (RFC 9651 §4.2.2)")
struct StructuredDictionaryTests {
    typealias Members = [String: StructuredDictionary.Value]

    @Test(
        "a dictionary is read, with the types of its members",
        arguments: [
            ("", [:]), ("   ", [:]), ("a", ["a": .boolean(true)]),
            ("a=?0,b=?1", ["a": .boolean(false), "b": .boolean(true)]),
            ("a=1 ,\tb=-2", ["a": .integer(1), "b": .integer(-2)]), ("a=007", ["a": .integer(7)]),
            ("a=999999999999999", ["a": .integer(999_999_999_999_999)]), ("a=1.5", ["a": .other]),
            ("a=123456789012.123", ["a": .other]), ("a=-0.1", ["a": .other]),
            (#"a="b\"\\c, d""#, ["a": .string(#"b"\c, d"#)]), (#"a="""#, ["a": .string("")]),
            ("a=tok/en:1", ["a": .token("tok/en:1")]), ("a=*x", ["a": .token("*x")]),
            ("a=:aGk=:", ["a": .other]), ("a=:aGk:", ["a": .other]), ("a=::", ["a": .other]),
            ("a=@1659578233", ["a": .other]), ("a=@-1", ["a": .other]), (#"a=%"f%c3%bc""#, ["a": .other]),
            ("a=(), b=(1 x;p=1  \"y\" );q", ["a": .other, "b": .other]),
            ("a;x;y=1;z=\"s\", b=2; p", ["a": .boolean(true), "b": .integer(2)]),
            ("a=1,a=2", ["a": .integer(2)]), ("*a_b-c.d*=1", ["*a_b-c.d*": .integer(1)]),
        ] as [(String, Members)]
    )
    func wellFormed(value: String, members: Members) {
        #expect(StructuredDictionary(value)?.members == members)
    }

    @Test(
        "one deviation, and there is no dictionary",
        arguments: [
            ",", "a,", "a,,b", "a b", "A=1", "1=a", "-a=1", "a=", "a= 1", "a =1", "a=1;", "a=1;;b", "a=1;B", "a=?2",
            "a=?", "a=+1", "a=1.", "a=.5", "a=1.1234", "a=1234567890123456", "a=1234567890123.1", "a=-", #"a="b"#,
            #"a="b\c""#, "a=\"b\u{e9}\"", "a=\"\t\"", "a=:a b:", "a=:aGk=", "a=@", "a=@1.5", #"a=%"%C3%BC""#,
            #"a=%"%ff""#,
            #"a=%"%c""#, "a=(1", "a=(1,2)", "a=(1\"x\")", "a=&", "a=\u{e9}", "\u{e9}=1", "a=1 b=2", "a\u{0}", "\ta",
        ]
    )
    func malformed(value: String) {
        #expect(StructuredDictionary(value) == nil)
    }
}
