import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork

@Suite("The network rules of a bundle")
struct RuleSetTests {
    static let origins = """
        [{"url": "https://m.example.com/shop/"}, {"url": "http://cdn.example:8080/", "path": "/cdn/"}, \
        {"url": "https://m.example.com/deep/", "path": "/deep/"}]
        """

    static func manifest(_ rules: String) throws -> BundleManifest {
        let json = #"{"name": "shop", "version": "1", "origins": \#(origins), "network": {"rules": \#(rules)}}"#
        return try BundleManifest.parse(Array(json.utf8)).manifest
    }

    /// A request for a path below `https://m.example.com/shop/`.
    static func request(
        _ path: String = "a",
        method: HTTPRequest.Method = .get,
        _ fields: HTTPFields = [:]
    ) -> RuleRequest {
        let components = path.prefix { $0 != "?" }.split(separator: "/").map { PercentEncoding.decode($0.utf8) ?? "" }
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil, headerFields: fields)
        return RuleRequest(request, path: components, url: "https://m.example.com/shop/\(path)")
    }

    static func decision(
        _ rules: String,
        _ request: RuleRequest = request(),
        _ conditions: RuleConditions = RuleConditions()
    ) throws -> RuleDecision {
        RuleSet(try manifest(rules)).decision(for: request, conditions)
    }

    @Test("without a rule that matches, the cache comes first and nothing is changed")
    func none() throws {
        let decision = try Self.decision(#"[{"match": {"path": "/b"}, "strategy": "block"}]"#)
        #expect(decision.applied == nil && !decision.dependsOnMediaType)
        #expect(decision.strategy == .cacheFirst && !decision.isNeverOffline && decision.timeLimit == nil)
        #expect(decision.connectTo == nil && decision.mock == nil && decision.redirect(root: "/") == nil)
        #expect(decision.target == .unchanged)
        #expect(decision.requestFields([.cookie: "a=b"]) == [.cookie: "a=b"])
        #expect(try RuleSet(Self.manifest("[]")).isEmpty)
    }

    @Test(
        "the first rule that matches applies",
        arguments: [
            ("a", .get, nil, RuleConditions(), 4), ("api/x", .get, nil, RuleConditions(), 1),
            ("api/x", .head, nil, RuleConditions(), 1), ("api/x", .post, nil, RuleConditions(), 4),
            ("api/x.mp4", .get, nil, RuleConditions(), 1), ("v/x.MP4?y", .get, nil, RuleConditions(), 2),
            ("v/x", .get, "image", RuleConditions(), 4), ("v/x", .get, "image", RuleConditions(isMetered: true), 3),
            ("api/x", .get, "image", RuleConditions(isMetered: true), 1),
            ("api/x", .get, nil, RuleConditions(isDevelopment: true), 0),
        ] as [(String, HTTPRequest.Method, String?, RuleConditions, Int)]
    )
    func order(
        _ path: String,
        _ method: HTTPRequest.Method,
        _ destination: String?,
        _ conditions: RuleConditions,
        _ index: Int
    ) throws {
        let rules = """
            [
              {"match": {"path": "/api/x"}, "mock": {"status": 404}},
              {"match": {"path": "/api/**", "method": "GET"}, "strategy": "network-first", "timeLimit": 700},
              {"match": {"suffix": ".mp4"}, "offline": "never"},
              {"match": {"kind": "image"}, "onlyIfMetered": true, "strategy": "block"},
              {"strategy": "stale-while-revalidate"}
            ]
            """
        var fields = HTTPFields()
        fields[.secFetchDest] = destination
        let decision = try Self.decision(rules, Self.request(path, method: method, fields), conditions)
        #expect(decision.applied?.index == index)
        #expect(decision.applied?.description == "bundle.json: network.rules[\(index)]")
        #expect((decision.timeLimit == .milliseconds(700)) == (index == 1))
        #expect(decision.isNeverOffline == (index == 2))
    }

    @Test("the operator's rules come before the bundle's, and their mocks lie beside their file")
    func common() async throws {
        try await withTemporaryDirectory { directory in
            let text =
                #"{"rules": [{"match": {"path": "/a"}, "mock": {"file": "m/a.json", "status": 201, "delay": 9}}]}"#
            _ = try directory.write(tree: ["rules.json": text], to: "dev")
            let path = directory.path(of: "dev/rules.json")
            let (common, warnings) = try CommonRules.read(URL(fileURLWithPath: path))
            #expect(warnings.isEmpty)
            let rules = RuleSet(try Self.manifest(#"[{"mock": {"file": "b.json"}}]"#), common: common)
            let development = RuleConditions(isDevelopment: true)
            let first = rules.decision(for: Self.request("a"), development)
            #expect(first.applied?.description == "\(path): rules[0]")
            #expect(first.mock?.content == .file(directory.path(of: "dev") + "/m/a.json"))
            #expect(first.mock?.status == 201 && first.mock?.delay == .milliseconds(9))
            let folder = URL(fileURLWithPath: directory.path(of: "dev"), isDirectory: true)
            let parsed = RuleSet(try Self.manifest("[]"), common: try CommonRules.parse(text, mocksIn: folder).rules)
            #expect(parsed.decision(for: Self.request("a"), development).mock?.content == first.mock?.content)
            let second = rules.decision(for: Self.request("b"), development)
            #expect(second.mock?.content == .bundled(try BundlePath("b.json")))
            let inline = RuleSet(try Self.manifest(#"[{"mock": {"content": {"b": [1]}}}]"#), common: CommonRules())
            let mock = inline.decision(for: Self.request("a"), development).mock
            #expect(mock?.content == .inline(Array(#"{"b":[1]}"#.utf8), mediaType: "application/json"))
            #expect(rules.decision(for: Self.request("a"), RuleConditions()).applied == nil)
        }
    }

    @Test(
        "a file of the operator's rules that is wrong is refused, with its place",
        arguments: [
            (#"{"precache": []}"#, "precache: belongs in a bundle's manifest; remove it here"),
            (#"{"rules": [{"strategy": "x"}]}"#, "rules[0].strategy: “x” is none of "),
            ("[", "line 1, column 2: the text ends in the middle of a value"),
        ]
    )
    func commonRefusal(_ text: String, _ message: String) async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["rules.json": text], to: "dev")
            let path = directory.path(of: "dev/rules.json")
            let error = #expect(throws: BundleError.self) { try CommonRules.read(path) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.hasPrefix("\(path): \(message)") == true, "\(error?.message ?? "")")
        }
    }

    @Test("a file that isn't there is refused")
    func missingFile() {
        let error = #expect(throws: BundleError.self) { try CommonRules.read("/no/such/rules.json") }
        #expect(error?.message == "/no/such/rules.json can't be read; check its name and permissions")
    }

    @Test("rules for media types are decided by the response, and the first in the list still applies")
    func mediaTypes() throws {
        let rules = """
            [
              {"match": {"mediaType": "image/*"}, "onlyIfMetered": true, "strategy": "block"},
              {"match": {"mediaType": ["text/html", "image/png"]}, "strategy": "network-only"},
              {"match": {"path": "/a"}, "strategy": "network-first"},
              {"match": {"mediaType": "font/*"}, "strategy": "block"}
            ]
            """
        let metered = try Self.decision(rules, Self.request(), RuleConditions(isMetered: true))
        #expect(metered.dependsOnMediaType && metered.strategy == .networkFirst)
        #expect(metered.undecided.map(\.index) == [0, 1])
        #expect(metered.forResponse(of: "image/png").strategy == .block)
        #expect(metered.forResponse(of: "text/html; charset=utf-8").strategy == .networkOnly)
        #expect(metered.forResponse(of: "font/woff2").applied?.index == 2)
        #expect(metered.forResponse(of: nil).applied?.index == 2)
        let unmetered = try Self.decision(rules)
        #expect(unmetered.forResponse(of: "image/png").applied?.index == 1)
        #expect(unmetered.forResponse(of: "image/gif").applied?.index == 2)
        #expect(try Self.decision(rules, Self.request("b")).forResponse(of: "font/woff2").strategy == .block)
        #expect(!unmetered.forResponse(of: "image/png").dependsOnMediaType)
    }

    @Test("hostile patterns of the largest total length are decided for a long path")
    func hostile() throws {
        let pattern = String(repeating: "/*a", count: 10)
        let rules = (100..<315).map { #"{"match": {"path": "/**\#(pattern)/\#($0)x"}}"# }.joined(separator: ",")
        let set = RuleSet(try Self.manifest("[\(rules)]"))
        let path = Array(repeating: "aaaaaaaa", count: 400).joined(separator: "/")
        #expect(set.decision(for: Self.request(path), RuleConditions()).applied == nil)
    }
}
