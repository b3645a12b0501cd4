import BundleServing
import HTTPTypes
import Testing

@Suite("A reason phrase")
struct ReasonPhraseTests {
    @Test(
        "is that of the registry, also where another was received",
        arguments: [
            (100, "Continue"), (103, "Early Hints"), (200, "OK"), (206, "Partial Content"), (304, "Not Modified"),
            (404, "Not Found"), (413, "Content Too Large"), (423, "Locked"), (504, "Gateway Timeout"),
            (507, "Insufficient Storage"),
        ]
    )
    func registered(code: Int, phrase: String) {
        for received in ["", phrase, "Fine", "a\u{0}b"] {
            #expect(HTTPResponse.Status(code: code, reasonPhrase: received).standardReasonPhrase == phrase)
        }
    }

    @Test("is empty for a code that isn't in the registry", arguments: [199, 299, 418, 599, 999])
    func unregistered(code: Int) {
        #expect(HTTPResponse.Status(code: code, reasonPhrase: "Odd").standardReasonPhrase == "")
    }
}
