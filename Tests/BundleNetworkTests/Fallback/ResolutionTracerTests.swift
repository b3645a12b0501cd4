import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Testing

struct ResolutionTracerTests {
    private static let members = """
        "origins": [{"url": "https://m.example.com/shop/", "path": "/"}], "offlinePage": "offline.html", \
        "fallback": {"file": "index.html", "routes": ["/products/*"]}, "network": {"rules": [\
        {"match": {"mediaType": "image/*"}, "strategy": "network-only"}, \
        {"match": {"kind": "navigation"}, "strategy": "network-first", "timeLimit": 900, "connectTo": "edge.example"}, \
        {"match": {"path": "*.js"}, "rewrite": {"from": "/*.js", "to": "/js/*.js"}, "responseFields": {"remove": ["X"]}}, \
        {"match": {"path": "/old/*"}, "redirect": {"status": 301, "to": "/new"}}, \
        {"match": {"path": "/kept/*"}, "strategy": "cache-only"}, {"match": {"path": "/no/*"}, "strategy": "block"}]}
        """

    private func trace(
        _ url: String,
        isNavigation: Bool = false,
        isOffline: Bool = false
    ) async throws -> ResolutionTrace? {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let pages = ["index.html": "<p>", "offline.html": "<p>", "docs/index.html": "<p>"]
            try store.install(.sample("shop", "1.0.0", Self.members), files: pages.merging(["old.js": "1"]) { $1 })
            try store.install(.sample("shop", "2.0.0", Self.members), files: pages)
            let tracer = ResolutionTracer(store, policy: CachePolicy(isShared: true), isOffline: isOffline)
            return tracer.trace(try #require(RequestTarget(url: url)), isNavigation: isNavigation)
        }
    }

    @Test(
        "the first layer that has the resource serves it",
        arguments: [
            ("index.html", false, false, ResolutionTrace.Layer.active), ("docs", false, false, .active),
            ("old.js", false, false, .retained), ("products/42", true, false, .route),
            ("products/42", false, false, .network), ("old.js", true, false, .network),
            ("no", true, true, .offlinePage),
        ]
    )
    func response(_ path: String, _ isNavigation: Bool, _ isOffline: Bool, _ layer: ResolutionTrace.Layer) async throws
    {
        let url = "https://m.example.com/shop/\(path)"
        let trace = try #require(try await trace(url, isNavigation: isNavigation, isOffline: isOffline))
        #expect(trace.response?.layer == layer)
        #expect(trace.steps.map(\.layer) == ResolutionTrace.Layer.allCases)
        let (before, after) = (
            trace.steps.prefix { $0.layer != layer }, trace.steps.drop { $0.layer != layer }.dropFirst()
        )
        #expect(before.allSatisfy { $0.verdict == .passes })
        #expect(after.allSatisfy { $0.verdict == .notAsked })
        #expect(trace.steps.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("a rule that lets no origin be asked says so", arguments: ["kept/x", "no/x"])
    func ruledOut(_ path: String) async throws {
        let trace = try #require(try await trace("https://m.example.com/shop/\(path)"))
        #expect(trace.response == nil)
        let network = trace.steps.first { $0.layer == .network }
        #expect(network?.verdict == .passes)
        #expect(network?.reason == "a network rule lets no origin be asked")
    }

    @Test("a release that mustn't be used any more doesn't just lack the file")
    func withdrawn() async throws {
        let version = BundleVersion("2.0.0")
        for (reason, successor, words) in [
            (Withdrawal.Reason.revoked, nil, "shop@2.0.0 was revoked by its publisher, and isn't used any more"),
            (
                .critical, BundleVersion("3.0.0"),
                "shop@2.0.0 isn't used any more: 3.0.0, which takes its place, is critical"
            ),
        ] {
            try await withTemporaryDirectory { directory in
                let store = try BundleStore(at: directory.path(of: "store"), creating: true)
                try store.install(
                    .sample("shop", "2.0.0", Self.members),
                    files: ["index.html": "<p>", "offline.html": ""]
                )
                let withdrawal = Withdrawal(of: version, reason, successor: successor, since: TestClock().date)
                try store.setWithdrawals([withdrawal], of: BundleName("shop"))
                let tracer = ResolutionTracer(store, policy: CachePolicy(isShared: true))
                let target = try #require(RequestTarget(url: "https://m.example.com/shop/index.html"))
                let trace = try #require(tracer.trace(target, isNavigation: false))
                #expect(trace.steps.first?.reason == words)
                #expect(trace.response?.layer == .network)
            }
        }
    }

    @Test("an earlier release that mustn't be used any more doesn't just lack the file either")
    func withdrawnEarlier() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            for version in ["1.0.0", "2.0.0"] {
                let files = ["index.html": "", "offline.html": ""]
                try store.install(.sample("shop", version, Self.members), files: files)
            }
            let version = BundleVersion("1.0.0")
            let withdrawal = Withdrawal(of: version, .revoked, since: TestClock().date)
            try store.setWithdrawals([withdrawal], of: BundleName("shop"))
            let tracer = ResolutionTracer(store, policy: CachePolicy(isShared: true))
            let target = try #require(RequestTarget(url: "https://m.example.com/shop/no.js"))
            let reasons = try #require(tracer.trace(target, isNavigation: false)).steps.map(\.reason)
            #expect(reasons.contains("shop@1.0.0 was revoked by its publisher, and isn't used any more"))
        }
    }

    @Test("offline, no layer serves a missing script")
    func nothing() async throws {
        let trace = try #require(try await trace("https://m.example.com/shop/no.js", isOffline: true))
        #expect(trace.response == nil)
    }

    @Test("a URL that no bundle covers has no trace")
    func foreign() async throws {
        #expect(try await trace("https://else.example.com/") == nil)
    }

    @Test(
        "the network rules that apply are named when the bundle lacks the URL",
        arguments: [
            ("index.html", false, []), ("old.js", false, []), ("products/42", true, []),
            ("no", false, ["0]: network-only, if the response is image/*"]),
            (
                "no", true,
                [
                    "0]: network-only, if the response is image/*",
                    "1]: network-first, after 900 ms what is stored; connects to edge.example",
                ]
            ),
            (
                "no.js", false,
                [
                    "0]: network-only, if the response is image/*",
                    "2]: cache-first; changes response fields; requests https://m.example.com/shop/js/no.js",
                ]
            ),
            (
                "old/x", false,
                ["0]: network-only, if the response is image/*", "3]: redirects with 301 to /new"]
            ),
        ] as [(String, Bool, [String])]
    )
    func rules(_ path: String, _ isNavigation: Bool, _ rules: [String]) async throws {
        let url = "https://m.example.com/shop/\(path)"
        let trace = try #require(try await trace(url, isNavigation: isNavigation))
        #expect(trace.rules == rules.map { "bundle.json: network.rules[" + $0 })
    }
}
