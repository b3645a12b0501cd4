import BundleStore
import Testing

@testable import BundleServer

@Suite("Statements of pages")
struct PageStatementTests {
    @Test("are objects with texts; what else is in them is ignored")
    func statements() throws {
        let good = try PageStatement(Array(#"{"nonce": "n", "x": 1}"#.utf8))
        #expect((good.nonce, good.message) == ("n", nil))
        #expect(try PageStatement(Array("{}".utf8)).message == nil)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "[]", "null", #"{"nonce": 7}"#, #"{"message": null}"#, "{", #"{"nonce": "a", "nonce": "b"}"#,
            String(repeating: "[", count: 100_000), "{\"message\": \"\(String(repeating: "x", count: 8 << 10))\"}",
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: BundleError.self) { try PageStatement(Array(text.utf8)) }
        #expect(error?.code == .invalidArgument)
    }
}
