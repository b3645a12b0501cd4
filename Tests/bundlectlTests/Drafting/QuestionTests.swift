import Testing

@testable import bundlectl

@Suite("A question at a terminal")
struct QuestionTests {
    @Test(
        "says the form of what can't be used, with an example, and what Return takes",
        arguments: [("it", "press Return for it"), (nil, "press Return for none")] as [(String?, String)]
    )
    func refusal(_ proposal: String?, _ end: String) {
        let text = Question.refusal(of: "Bad Name", as: "name", proposing: proposal)
        let form = "1 to 64 of a-z 0-9 . _ -, the first a letter or digit, such as shop"
        #expect(text == "“Bad Name” can't be used: \(form); try again, or \(end)")
    }

    @Test("isn't asked without a terminal, where the proposal counts")
    func silence() {
        let ask = Question(isInteractive: false)
        #expect(ask("name", proposing: "shop", as: { $0 }) == "shop")
        #expect(ask("name", proposing: nil, as: { $0 }) == nil)
    }
}
