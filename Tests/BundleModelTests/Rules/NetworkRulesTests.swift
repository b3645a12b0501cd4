import Testing

@testable import BundleModel

@Suite("The member network of a manifest")
struct NetworkRulesTests {
    static let origins = #"[{"url": "https://m.example.com/shop"}, {"url": "http://cdn.example:8080", "path": "/cdn"}]"#

    static func json(_ network: String) -> [UInt8] {
        BundleManifestTests.json(["origins": origins, "network": network])
    }

    static func rules(_ network: String) throws -> NetworkRules {
        try BundleManifest.parse(json(network)).manifest.network
    }

    static let everything = """
        {
          "rules": [
            {
              "match": {
                "path": ["/api/**", "https://m.example.com/shop/v1/*"], "suffix": ".JSON", "kind": ["fetch", "other"],
                "method": ["GET", "POST"]
              },
              "onlyIfMetered": true, "strategy": "network-first", "timeLimit": 1500, "offline": "never",
              "requestFields": {"set": {"X-Key": "1"}, "add": {"Accept-Language": "de"}, "remove": ["Cookie"]},
              "responseFields": {"set": {"Cache-Control": "no-cache"}, "remove": ["Set-Cookie"]},
              "connectTo": "edge.example:8443",
              "rewrite": {"from": "/api/**/*.json", "to": "http://cdn.example:8080/**/data/*"}
            },
            {"match": {"mediaType": "Image/*"}, "onlyIfMetered": true, "strategy": "block"},
            {"match": {"path": "/old/*"}, "redirect": {"status": 308, "to": "/new/"}},
            {
              "match": {"path": "*.mock"},
              "mock": {"file": "mocks/a.json", "status": 503, "fields": {"Retry-After": "1"}, "delay": 250}
            },
            {},
            {"match": {"path": "*.text"}, "mock": {"content": "a\\u00e9\\n"}},
            {"match": {"path": "*.json"}, "mock": {"content": {"b": [1.50, null], "a": "/"}}},
            {"offline": "always", "keepDays": 30, "keepAuthorized": true, "userCookies": ["JSESSIONID"]}
          ],
          "precache": ["https://m.example.com/shop/feed?x=1", "http://cdn.example:8080/a.png"]
        }
        """

    @Test("every key is read")
    func everyKey() throws {
        let network = try Self.rules(Self.everything)
        let rules = network.rules
        #expect(rules.count == 8)
        #expect(rules[0].match.paths.map(\.string) == ["/api/**", "https://m.example.com/shop/v1/*"])
        #expect(rules[0].match.suffixes == [".json"])
        #expect(rules[0].match.kinds == [.fetch, .other])
        #expect(rules[0].match.methods == ["GET", "POST"])
        #expect(rules[0].isOnlyIfMetered && rules[0].offline == .never)
        #expect(rules[0].strategy == .networkFirst)
        #expect(rules[0].timeLimit?.duration == .milliseconds(1_500))
        #expect(rules[0].requestFields.set.map(\.value) == ["1"])
        #expect(rules[0].requestFields.add.map(\.name) == ["Accept-Language"])
        #expect(rules[0].requestFields.remove == ["Cookie"])
        #expect(rules[0].responseFields.set.map(\.name) == ["Cache-Control"])
        #expect(rules[0].responseFields.remove == ["Set-Cookie"])
        #expect(rules[0].connectTo == ConnectAddress("edge.example:8443"))
        #expect(rules[0].rewrite?.from.string == "/api/**/*.json")
        #expect(rules[1].match.mediaTypes.map(\.string) == ["image/*"])
        #expect(rules[1].strategy == .block)
        #expect(rules[2].redirect == RuleRedirect(status: 308, place: "/new/"))
        #expect(rules[3].mock?.file?.string == "mocks/a.json")
        #expect(rules[3].mock?.status == 503)
        #expect(rules[3].mock?.fields.map(\.name) == ["Retry-After"])
        #expect(rules[3].mock?.delay?.duration == .milliseconds(250))
        #expect(rules[4] == NetworkRule())
        #expect(rules[5].mock?.content == .string("aé\n"))
        let object = rules[6].mock?.content.map { String(decoding: JSONWriter.bytes(of: $0, .compact), as: UTF8.self) }
        #expect(object == #"{"b":[1.50,null],"a":"/"}"#)
        #expect(rules[7].offline == .always && rules[7].keepDays == 30 && rules[7].keepsAuthorized)
        #expect(rules[7].userCookies == ["JSESSIONID"])
        #expect(network.precache == ["https://m.example.com/shop/feed?x=1", "http://cdn.example:8080/a.png"])
    }

    @Test("a rule without keys applies to all requests, and says what happens without it")
    func defaults() throws {
        let rule = NetworkRule()
        #expect(rule.match.coversEverything && rule.strategy == .cacheFirst && rule.isUnconditional)
        #expect(rule.requestFields.isEmpty && rule.responseFields.isEmpty && rule.offline == nil)
        #expect(try Self.rules("{}") == NetworkRules())
    }

    @Test("is encoded so that it is read back unchanged", arguments: [everything, "{}", #"{"rules": [{}]}"#])
    func roundTrip(_ network: String) throws {
        let manifest = try BundleManifest.parse(Self.json(network)).manifest
        let again = try BundleManifest.parse(manifest.encoded())
        #expect(again.manifest == manifest)
        #expect(again.manifest.encoded() == manifest.encoded())
    }

    @Test(
        "a rule that can never apply is reported when the manifest is read",
        arguments: [
            (#"[{"strategy": "block"}, {"match": {"path": "/a"}}]"#, [1]),
            (#"[{"match": {"path": "/**"}}, {}, {}]"#, [1, 2]),
            (#"[{"match": {"path": ["/a", "**"]}}, {}]"#, [1]),
            (#"[{"match": {"path": "/a"}}, {"match": {"path": "/a"}, "strategy": "block"}]"#, [1]),
            (#"[{"match": {"path": "/a"}}, {"match": {"path": "/b"}}, {}]"#, []),
            (#"[{"match": {"path": "*"}}, {"match": {"path": "/"}}]"#, []),
            (#"[{"onlyIfMetered": true}, {}]"#, []),
            (#"[{"mock": {"status": 404}}, {}]"#, []),
            (#"[{"match": {"method": "GET"}}, {}]"#, []),
            (#"[{"match": {"mediaType": "image/*"}}, {}]"#, []),
        ]
    )
    func shadowed(_ rules: String, _ places: [Int]) throws {
        let warnings = try BundleManifest.parse(Self.json("{\"rules\": \(rules)}")).warnings
        let expected = places.map {
            "bundle.json: network.rules[\($0)]: never applies, because rules[0] matches first; move it up, or remove it"
        }
        #expect(warnings == expected)
    }
}
