import Testing

@testable import bundlectl

@Suite("A label of an installation")
struct WebhookLabelTests {
    @Test(
        "has a key and a value",
        arguments: [
            ("site=berlin", "site", "berlin"), ("a.b-c_1=x=y z", "a.b-c_1", "x=y z"),
            ("empty=", "empty", ""),
        ]
    )
    func accepted(_ argument: String, _ key: String, _ value: String) {
        let label = WebhookLabel(argument: argument)
        #expect(label?.key == key)
        #expect(label?.value == value)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "site", "=berlin", "a b=c", "straße=1", String(repeating: "a", count: 65) + "=1",
            "a=" + String(repeating: "a", count: 257),
        ]
    )
    func refused(_ argument: String) { #expect(WebhookLabel(argument: argument) == nil) }
}
