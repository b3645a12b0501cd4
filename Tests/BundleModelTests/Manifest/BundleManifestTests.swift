import Testing

@testable import BundleModel

@Suite("BundleManifest")
struct BundleManifestTests {
    /// A manifest with the three required keys, each replaced by its value in `keys`; nil leaves the key out.
    static func json(_ keys: [String: String?] = [:]) -> [UInt8] {
        let required: [String: String?] = ["name": "\"shop\"", "version": "\"1.4.0\"", "origins": "[]"]
        let members = required.merging(keys) { $1 }.compactMap { key, value in value.map { "\"\(key)\": \($0)" } }
        return Array("{\(members.sorted().joined(separator: ", "))}".utf8)
    }

    static let everything: [String: String?] = [
        "origins": #"[{"url": "https://M.example.com:443/shop", "path": "/web/"}, {"url": "http://cdn.example:8080"}]"#,
        "entry": #""start.html""#,
        "fallback": #"{"file": "app.html", "routes": ["/product/*", "/cart"]}"#,
        "offlinePage": #""offline.html""#,
        "headers": #"{"/assets/*": {"X-B": "2", "x-a": "1"}, "/**": {"X-A": "0"}}"#,
        "immutable": #"["/assets/**", "/*.css"]"#,
        "mediaTypes": #"{"ics": "text/calendar; charset=utf-8"}"#,
        "forwardedFields": #"["X-Forwarded-For", "x-host"]"#,
        "forwardedAddress": "true",
        "ignoreQuery": #"["utm_*", "fbclid"]"#,
        "network": #"{"rules": [{"match": {"path": "/api/**"}, "strategy": "network-first"}]}"#,
        "feed": #""https://m.example.com/feed.json?x=1""#,
        "channel": #""beta""#,
        "health": #"{"within": "2m", "starts": 3}"#,
        "pages": #"{"update": true}"#,
    ]

    @Test("the three required keys are enough, and the rest has its defaults")
    func defaults() throws {
        let parsed = try BundleManifest.parse(Self.json())
        let expected = try BundleManifest(
            name: BundleName("shop"),
            version: BundleVersion("1.4.0"),
            origins: []
        )
        #expect(parsed.manifest == expected)
        #expect(parsed.warnings.isEmpty)
        #expect(expected.entry.string == "index.html")
        #expect(expected.channel == "stable")
        #expect(expected.fallback == nil && expected.offlinePage == nil && expected.feed == nil)
        #expect(expected.ignoredParameters.isEmpty)
        #expect(expected.health == nil)
        let health = try BundleManifest.parse(Self.json(["health": "{}"])).manifest.health
        #expect(health == HealthTerms(withinSeconds: 30, starts: 2))
        #expect(expected.headers.isEmpty && expected.mediaTypes.isEmpty && expected.forwardedFields.isEmpty)
        #expect(!expected.forwardsAddress && !expected.pagesMayUpdate)
        #expect(try !BundleManifest.parse(Self.json(["pages": "{}"])).manifest.pagesMayUpdate)
    }

    @Test("every key is read")
    func everyKey() throws {
        let parsed = try BundleManifest.parse(Self.json(Self.everything))
        let manifest = parsed.manifest
        #expect(parsed.warnings.isEmpty)
        #expect(manifest.name.string == "shop")
        #expect(manifest.version.string == "1.4.0")
        #expect(
            manifest.origins.map(\.description) == [
                "https://m.example.com/shop/ ↔ /web/", "http://cdn.example:8080/ ↔ /",
            ]
        )
        #expect(manifest.entry.string == "start.html")
        #expect(manifest.fallback?.file.string == "app.html")
        #expect(manifest.fallback?.routes.map(\.string) == ["/product/*", "/cart"])
        #expect(manifest.offlinePage?.string == "offline.html")
        #expect(manifest.headers.map(\.pattern.string) == ["/**", "/assets/*"])
        #expect(manifest.headers.last?.fields.map(\.name) == ["x-a", "X-B"])
        #expect(manifest.immutable?.map(\.string) == ["/assets/**", "/*.css"])
        #expect(manifest.declaresImmutable(try BundlePath("assets/a/b.js")))
        #expect(!manifest.declaresImmutable(try BundlePath("b.js")))
        #expect(manifest.forwardedFields == ["X-Forwarded-For", "x-host"])
        #expect(manifest.forwardsAddress)
        #expect(manifest.ignoredParameters.map(\.string) == ["utm_*", "fbclid"])
        #expect(manifest.network.rules.map(\.strategy) == [.networkFirst])
        #expect(manifest.mediaTypes == ["ics": "text/calendar; charset=utf-8"])
        #expect(manifest.feed == "https://m.example.com/feed.json?x=1")
        #expect(manifest.channel == "beta")
        #expect(manifest.health == HealthTerms(withinSeconds: 120, starts: 3))
        #expect(manifest.pagesMayUpdate)
    }

    @Test(
        "an encoded manifest is read back unchanged, without a warning",
        arguments: [[:], everything, ["immutable": "[]"]]
    )
    func roundTrip(_ keys: [String: String?]) throws {
        let manifest = try BundleManifest.parse(Self.json(keys)).manifest
        let again = try BundleManifest.parse(manifest.encoded())
        #expect(again == ParsedManifest(manifest: manifest, warnings: []))
        #expect(again.manifest.encoded() == manifest.encoded())
    }

    @Test("the encoding is sorted and short")
    func encoding() throws {
        let json = try BundleManifest.parse(Self.json(["origins": #"[{"url": "https://a"}]"#])).manifest.encoded()
        let expected =
            #"{"channel":"stable","entry":"index.html","name":"shop","origins":[{"path":"/","url":"https://a/"}],"version":"1.4.0"}"#
        #expect(String(decoding: json, as: UTF8.self) == expected)
    }

    @Test("a fallback without routes covers every route")
    func defaultRoutes() throws {
        let manifest = try BundleManifest.parse(Self.json(["fallback": #"{"file": "index.html"}"#])).manifest
        let fallback = try #require(manifest.fallback)
        #expect(fallback.routes == RouteFallback.defaultRoutes)
        #expect(try fallback.covers(BundlePath("product/42")))
    }

    @Test("all rules that match set their fields, and the more specific one wins")
    func headerFields() throws {
        let manifest = try BundleManifest.parse(Self.json(Self.everything)).manifest
        let fields = { (path: String) in
            try manifest.headerFields(for: BundlePath(path)).map { "\($0.name): \($0.value)" }
        }
        #expect(try fields("assets/app.js") == ["x-a: 1", "X-B: 2"])
        #expect(try fields("index.html") == ["X-A: 0"])
    }

    @Test(
        "what the parser refuses can't be made in code either",
        arguments: [
            (nil, "my channel", "channel: “my channel” is not a channel"), ("ftp://a/", "stable", "feed: "),
            ("https://a/#b", "stable", "feed: "),
        ] as [(String?, String, String)]
    )
    func checked(_ feed: String?, _ channel: String, _ words: String) throws {
        let plain = try BundleManifest.parse(Self.json()).manifest
        let error = #expect(throws: BundleError.self) {
            try BundleManifest(name: plain.name, version: plain.version, origins: [], feed: feed, channel: channel)
        }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(throws: BundleError.self) {
            try BundleManifest(name: plain.name, version: plain.version, origins: [], mediaTypes: ["A.B": "text/x"])
        }
    }

    @Test("rules for one pattern are joined, so that a manifest made in code can be encoded")
    func joinedRules() throws {
        let rules = try ["1", "2"].map {
            HeaderRule(pattern: .everything, fields: [try #require(HeaderField(name: "X", value: $0))])
        }
        let plain = try BundleManifest.parse(Self.json()).manifest
        let manifest = try BundleManifest(name: plain.name, version: plain.version, origins: [], headers: rules)
        #expect(manifest.headers == [rules[1]])
        #expect(try BundleManifest.parse(manifest.encoded()).manifest == manifest)
    }

    @Test("unknown keys are named in warnings, in order, and the schema reference isn't one of them")
    func warnings() throws {
        let json = """
            {"$schema": "x", "name": "a", "colour": 1, "version": "1", "origins": [{"url": "http://a", "to": 2}],
             "fallback": {"file": "f", "a b": 3}, "Entry": "x"}
            """
        let places = ["colour", "Entry", "origins[0].to", "fallback[“a b”]"]
        let expected = places.map { "bundle.json: \($0): this key is not known and is ignored" }
        #expect(try BundleManifest.parse(Array(json.utf8)).warnings == expected)
    }
}
