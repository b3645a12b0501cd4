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
        "Bearer TOKEN\(String(repeating: " ", count: 1_000))",
    ])
    func `is proven by nothing else`(_ field: String?) {
        let token = AdminToken()
        #expect(!token.isProven(by: field?.replacing("TOKEN", with: token.text)))
    }
}
