import BundleServing
import BundleStore
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("What a network rule makes of a request")
struct RuleDecisionTests {
    static let kinds: [(HTTPFields, RequestKind)] = [
        ([.secFetchDest: "image"], .image), ([.secFetchDest: "document"], .navigation),
        ([.secFetchDest: "empty;a=b"], .fetch), ([.secFetchDest: "\"image\""], .other), ([:], .other),
        ([.accept: "text/html"], .navigation), ([.secFetchDest: "image", .accept: "text/html"], .image),
        ([.accept: "image/*"], .other),
    ]

    private static func target(_ from: String, _ to: String, _ path: String) throws -> RuleTarget {
        let rules = #"[{"rewrite": {"from": "\#(from)", "to": "\#(to)"}}]"#
        return try RuleSetTests.decision(rules, RuleSetTests.request(path)).target
    }

    @Test(
        "a URL is rewritten to another one below the bundle's origins",
        arguments: [
            ("/a/**", "/b/**", "a/x/y", "https://m.example.com/shop/b/x/y", false),
            ("/a/**", "/b/**", "a/x/?q=1&r=/../", "https://m.example.com/shop/b/x/?q=1&r=/../", false),
            ("/a/**", "/cdn/**", "a/x%20y", "http://cdn.example:8080/x%20y", true),
            ("/a/*", "/deep/x/*", "a/y", "https://m.example.com/deep/x/y", false),
            ("/**", "http://cdn.example:8080/p/**", "a/x", "http://cdn.example:8080/p/a/x", true),
            ("https://m.example.com/shop/*.js", "/js/*", "a%3Bb.js", "https://m.example.com/shop/js/a%3Bb", false),
            ("/**", "http://cdn.example:8080/**", "", "http://cdn.example:8080/", true),
            ("/**", "/deep/**", "", "https://m.example.com/deep/", false),
        ]
    )
    func rewritten(_ from: String, _ to: String, _ path: String, _ url: String, _ isOther: Bool) throws {
        #expect(try Self.target(from, to, path) == .rewritten(url: url, isOtherOrigin: isOther))
    }

    @Test("a URL that the rule's pattern doesn't cover stays")
    func unchanged() throws {
        #expect(try Self.target("/b", "/c", "a") == .unchanged)
    }

    @Test(
        "a URL that could be read as one outside the origins is refused",
        arguments: [
            ("/*", "/.*", "."), ("/*-x", "/*", "..;-x"), ("/*", "/*.", "%252e"), ("/x*", "/*", "x%252e%252e"),
            ("/x*", "/*", "x..%3Bb"), ("/x*y", "/a/*", "x..y"),
        ]
    )
    func outside(_ from: String, _ to: String, _ path: String) throws {
        #expect(try Self.target(from, to, path) == .refused)
    }

    @Test("the operator's rules can't lead out of the bundle's origins either")
    func commonRewrite() throws {
        let rules = #"{"rules": [{"rewrite": {"from": "/**", "to": "https://evil.example/**"}}]}"#
        let common = try NetworkRules.parse(Array(rules.utf8), named: "rules.json").rules.rules
        let source = AppliedRule.Source.file(name: "rules.json", folder: "/")
        let set = RuleSet(try RuleSetTests.manifest("[]"), common: CommonRules(RuleSet.numbered(common, source)))
        #expect(set.decision(for: RuleSetTests.request("a"), RuleConditions()).target == .refused)
    }

    @Test("credentials aren't sent to another origin, and stay for the same one")
    func credentials() throws {
        let fields: HTTPFields = [.cookie: "a=b", .authorization: "Basic eA==", .accept: "*/*"]
        let other = try RuleSetTests.decision(#"[{"rewrite": {"from": "/**", "to": "/cdn/**"}}]"#)
        #expect(other.requestFields(fields) == [.accept: "*/*"])
        let same = try RuleSetTests.decision(#"[{"rewrite": {"from": "/**", "to": "/deep/**"}}]"#)
        #expect(same.requestFields(fields) == fields)
    }

    @Test("fields are removed, replaced and added, in this order")
    func edits() throws {
        let edit = #"{"remove": ["Cookie", "x-a"], "set": {"X-B": "2", "x-c": "3"}, "add": {"X-B": "4"}}"#
        let decision = try RuleSetTests.decision(#"[{"requestFields": \#(edit), "responseFields": \#(edit)}]"#)
        let names = ["X-A", "X-B", "X-C", "X-D"]
        var fields: HTTPFields = [.cookie: "a=b"]
        for name in names { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "0")) }
        fields.append(HTTPField(name: try #require(HTTPField.Name("X-B")), value: "1"))
        for edited in [decision.requestFields(fields), decision.responseFields(fields)] {
            let texts = edited.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
            #expect(texts == ["x-b: 2", "x-b: 4", "x-c: 3", "x-d: 0"])
        }
    }

    @Test("an edit that the parser would have refused changes nothing")
    func forbiddenEdits() throws {
        var edit = FieldEdit()
        edit.remove = ["Host", "Content-Length", "no name"]
        edit.set = ["Connection", "Authorization"].compactMap { HeaderField(name: $0, value: "x") }
        edit.add = ["Set-Cookie", "Cookie"].compactMap { HeaderField(name: $0, value: "x") }
        let fields: HTTPFields = [.contentLength: "1", .authorization: "a"]
        #expect(fields.edited(by: edit, in: .request).contains { $0.name == .contentLength })
        #expect(fields.edited(by: edit, in: .request)[.authorization] == "a")
        #expect(fields.edited(by: edit, in: .request)[.cookie] == nil)
        #expect(fields.edited(by: edit, in: .response)[.setCookie] == nil)
    }

    @Test("a redirect and another address are what the rule says")
    func places() throws {
        let redirect = try RuleSetTests.decision(#"[{"redirect": {"status": 307, "to": "/new?x"}}]"#)
        #expect(redirect.redirect(root: "/shop/")?.location == "/shop/new?x")
        #expect(redirect.redirect(root: "/shop/")?.status == 307)
        let address = try RuleSetTests.decision(#"[{"connectTo": "edge.example:8443"}]"#).connectTo
        #expect(address?.host == "edge.example" && address?.port == 8_443)
    }

    @Test(
        "the kind of a request is what the browser says, and otherwise a navigation if it asks for HTML",
        arguments: kinds
    )
    func kind(_ fields: HTTPFields, _ kind: RequestKind) {
        #expect(RuleSetTests.request("a", fields).kind == kind)
    }

    @Test("a request that no origin covers is matched by its path alone")
    func withoutOrigin() throws {
        let rules = """
            [{"match": {"path": "https://m.example.com/**"}}, {"match": {"path": "/a"}, "strategy": "bundle-only"}]
            """
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        let decision = try RuleSetTests.decision(rules, RuleRequest(request, path: ["a"], url: nil))
        #expect(decision.applied?.index == 1 && decision.strategy == .bundleOnly)
        #expect(try RuleSetTests.decision(rules).applied?.index == 0)
    }
}
