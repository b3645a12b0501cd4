import Testing

@testable import BundleServer

@Suite("The token of the dashboard")
struct AdminTokenTests {
    @Test func `has 43 characters of base64url, and is another one each time`() throws {
        let tokens = (0..<100).map { _ in AdminToken().text }
        #expect(Set(tokens).count == 100)
        #expect(try tokens.allSatisfy { try /[A-Za-z0-9_-]{43}/.wholeMatch(in: $0) != nil })
    }

    @Test func `is proven by the field that has it, whatever the case of the scheme`() {
        let token = AdminToken()
        for scheme in ["Bearer", "bearer", "BEARER"] { #expect(token.isProven(by: "\(scheme) \(token.text)")) }
    }

    @Test(arguments: [
        nil, "", "Bearer ", "Bearer", "TOKEN", "Basic TOKEN", "Bearer TOKEN ", "Bearer  TOKEN", "BearerTOKEN",
        "Bearer xTOKEN",
        "Bearer TOKENx", "Bearer token", "Bearer \(String(repeating: "a", count: 43))",
        "Bearer TOKEN\(String(repeating: " ", count: 1_000))", "Bearer \(String(repeating: "TOKEN", count: 1_000))",
    ])
    func `is proven by nothing else`(_ field: String?) {
        let token = AdminToken()
        #expect(!token.isProven(by: field?.replacing("TOKEN", with: token.text)))
    }

    @Test(arguments: ["0123456789abcdef", "AZaz09-._~+/AZaz09==", String(repeating: "a", count: 512)])
    func `can be chosen`(_ text: String) throws {
        let token = try #require(AdminToken(text))
        #expect(token.isProven(by: "Bearer \(text)"))
        #expect(!token.isProven(by: "Bearer \(text.dropLast())"))
    }

    @Test(arguments: [
        "", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef ", "0123456789abcdef#", "0123456789=abcdef",
        "================", "0123456789abcdéf", "0123456789abcdef\n", String(repeating: "a", count: 513),
    ])
    func `can't be too short, or have what a field or a URL's fragment can't have`(_ text: String) {
        #expect(AdminToken(text) == nil)
    }
}
