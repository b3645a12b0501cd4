import BundleServing
import BundleTesting
import Foundation
import Testing

@testable import BundleServer
@testable import BundleStore

@Suite("The dashboard on the operators' address")
struct DashboardResponderTests {
    @Test func `serves its page and the files that this names to everyone, with a strict policy`() async throws {
        try await withShop { dashboard async throws in
            let page = try await dashboard.get("/", [])
            #expect(page.status == 200)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(!page.text.contains(dashboard.token))
            let named = page.text.matches(of: /(?:href|src)="(\/[^"]*)"/).map { String($0.1) }
            #expect(named == ["/dashboard.css", "/dashboard.js"])
            for file in DashboardFile.all {
                let response = try await dashboard.get(file.path, [])
                #expect(response.status == 200)
                #expect(
                    response["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'; ") == true
                )
                #expect(response["x-content-type-options"] == "nosniff")
                #expect(response["cache-control"] == "no-store")
                #expect(response["referrer-policy"] == "no-referrer")
                #expect(response["cross-origin-opener-policy"] == "same-origin")
                #expect(response["cross-origin-resource-policy"] == "same-origin")
                // Neither another host nor a script in the page, nor anything that parses texts as markup.
                for word in ["http:", "https:", "innerHTML", "insertAdjacentHTML", "eval(", " onclick", " style="] {
                    #expect(!response.text.contains(word), "\(file.path)")
                }
            }
            // What scripts import is there too.
            let imports = DashboardFile.all.flatMap { file in
                String(decoding: file.content, as: UTF8.self).matches(of: /from "\.(\/\w+\.js)"/).map { String($0.1) }
            }
            #expect(!imports.isEmpty && Set(imports).isSubset(of: DashboardFile.all.map(\.path)))
        }
    }

    @Test(arguments: [
        ("HEAD / HTTP/1.1", 200), ("POST / HTTP/1.1", 405), ("DELETE /dashboard.js HTTP/1.1", 405),
        ("GET /?x=1 HTTP/1.1", 200), ("GET /index.html HTTP/1.1", 404), ("GET /api HTTP/1.1", 404),
        ("GET /api/none HTTP/1.1", 404), ("GET /api/state HTTP/1.1", 401), ("GET /api/events HTTP/1.1", 401),
        ("POST /api/bundles/shop/rollback HTTP/1.1", 401), ("OPTIONS /api/state HTTP/1.1", 401),
        ("GET /api/bundles/shop/icon HTTP/1.1", 401),
    ])
    func `gives nothing but its page without the token`(_ line: String, _ status: Int) async throws {
        try await withShop { dashboard async throws in
            let response = try await withRawConnection(to: dashboard.port) {
                try await $0.request(line, ["Host: localhost"])
            }
            #expect(response.status == status)
            #expect(!response.text.contains("shop"))
        }
    }

    @Test(arguments: [
        ("localhost", 200), ("127.0.0.1:9100", 200), ("kiosk.example", 200), ("evil.example", 421), ("10.0.0.9", 421),
    ])
    func `is there on the machine's own hosts alone`(_ host: String, _ status: Int) async throws {
        try await withStore { store in
            try await withDashboard(store, configure: { $0.allowedHosts = [.named("kiosk.example")] }) {
                dashboard async throws in
                for path in ["/", "/dashboard.js", "/api/state"] {
                    #expect(try await dashboard.get(path, host: host).status == status)
                }
            }
        }
    }

    @Test func `tells what there is to know of the bundles`() async throws {
        try await withShop { dashboard async throws in
            let state = try await dashboard.state()
            #expect(state["server"]?["version"]?.string == ProductVersion.string)
            #expect(state["server"]?["bundleCount"]?.integer == 1)
            let bundle = try #require(state["bundles"]?.array?.first)
            #expect(bundle["name"]?.string == "shop")
            #expect(bundle["active"]?.string == "1.1.0")
            #expect(bundle["trouble"] == nil)
            #expect(bundle["address"]?.string == "http://shop.localhost:\(dashboard.endpoint.port)/")
            #expect(bundle["rollback"]?.string == "1.0.0")
            #expect(bundle["feed"]?.string == "https://m.example.com/feed.json")
            let versions = try #require(bundle["versions"]?.array)
            #expect(versions.map { $0["version"]?.string } == ["1.1.0", "1.0.0"])
            #expect(versions.map { $0["state"]?.string } == ["active", "retained"])
            #expect(versions.map { $0["isLower"] } == [.bool(false), .bool(true)])
            let kinds = state["events"]?.array?.compactMap { $0["kind"]?.string }
            #expect(kinds?.first == "activated")
            let live = state["storage"]?["parts"]?.array?.first { $0["kind"]?.string == "live" }
            #expect((live?["byteCount"]?.integer ?? 0) > 0)
            #expect(try await dashboard.get("/api/bundles/shop/icon").text == "{\"url\":null}\n")
        }
    }

    @Test func `tells by which root the version is vouched for that is served`() async throws {
        try await withStore { store in
            for version in ["1.0.0", "1.1.0"] { try store.installShop(version, script: version) }
            let root = Digest(of: [1])
            try store.trust("shop", by: root, isPinned: false, [])
            try store.recordSigner(root, by: root, of: try #require(store.bundle("shop").active))
            try await withDashboard(store) { dashboard async throws in
                var bundle = try await dashboard.bundle()
                #expect(bundle["signedBy"]?.string == root.hex)
                #expect(bundle["versions"]?.array?.map { $0["signedBy"]?.string } == [root.hex, nil])
                _ = try await dashboard.act("rollback")
                bundle = try await dashboard.bundle()
                #expect(bundle["signedBy"] == nil)
            }
        }
    }

    @Test func `counts requests that aren't written to the statistics yet`() async throws {
        try await withShop { dashboard async throws in
            _ = try await dashboard.endpoint.get("/shop/app.js")
            _ = try await dashboard.endpoint.get("/shop/missing.js")
            let usage = try #require(try await dashboard.state()["usage"])
            #expect(usage["requests"]?["active"]?.integer == 1)
            #expect(usage["hitRate"] == .number(0.5))
            #expect(usage["misses"]?.array?.first?["path"]?.string == "missing.js")
        }
    }

    @Test func `does what the verbs do, and the next request is served by it`() async throws {
        try await withShop { dashboard async throws in
            let message = try await RunningDashboard.json(dashboard.act("rollback"))["message"]?.string
            #expect(message == "rolled shop back from 1.1.0 to 1.0.0; updates take only what exceeds 1.1.0")
            #expect(try await dashboard.endpoint.get("/shop/app.js").text == "run(1.0.0)")
            var bundle = try await dashboard.bundle()
            #expect(bundle["active"]?.string == "1.0.0")
            #expect(bundle["held"]?.string == "1.1.0")
            #expect(try await dashboard.act("activate", #"{"version": "1.1.0"}"#).status == 200)
            #expect(try await dashboard.endpoint.get("/shop/app.js").text == "run(1.1.0)")
            for action in ["pin", "unpin", "pin"] {
                #expect(try await dashboard.act(action, #"{"version": "1.0.0"}"#).status == 200)
            }
            #expect(try await dashboard.act("hold").status == 200)
            bundle = try await dashboard.bundle()
            #expect(bundle["isOnHold"] == .bool(true))
            #expect(bundle["held"] == nil)
            #expect(bundle["versions"]?.array?.map { $0["isPinned"] } == [.bool(false), .bool(true)])
            #expect(try await dashboard.act("unhold").status == 200)
            #expect(try await dashboard.bundle()["isOnHold"] == .bool(false))
        }
    }

    @Test func `confirms a release on trial, or marks it bad, as the verbs do`() async throws {
        try await withStore { store in
            try store.installTrial("1.0.0")
            try await withDashboard(store) { dashboard async throws in
                func act(_ action: String, _ version: String) async throws -> String? {
                    let response = try await dashboard.act(action, #"{"version": "\#(version)"}"#)
                    return try RunningDashboard.json(response)["message"]?.string
                }
                #expect(try await act("mark-good", "1.0.0") == "shop 1.0.0 is confirmed")
                #expect(try await act("mark-good", "1.0.0") == "shop 1.0.0 needs no confirmation")
                #expect(try await dashboard.bundle()["isOnProbation"] == .bool(false))
                try store.installTrial("1.1.0")
                #expect(try await act("mark-good", "1.0.0") == "shop@1.0.0 is not active; 1.1.0 is")
                let message = "shop 1.1.0 is marked bad; 1.0.0 is active; updates take only what exceeds 1.1.0"
                #expect(try await act("mark-bad", "1.1.0") == message)
                let bundle = try await dashboard.bundle()
                #expect(bundle["active"]?.string == "1.0.0")
                #expect(bundle["held"]?.string == "1.1.0")
                #expect(
                    try await act("mark-bad", "1.0.0")
                        == "shop 1.0.0 is marked bad, and stays active: there is no earlier version"
                )
            }
            let events = try store.history().filter { $0.kind == .markedBad }
            #expect(events.map(\.detail) == ["marked bad on the dashboard", "marked bad on the dashboard"])
        }
    }

    @Test(arguments: [
        ("mark-good", "{}", "shop", 400), ("mark-good", #"{"version": "9.9.9"}"#, "shop", 404),
        ("mark-good", #"{"version": "1.0.0"}"#, "shop", 400),
        ("mark-bad", #"{"version": "9.9.9"}"#, "shop", 404), ("mark-bad", #"{"version": "1.1.0"}"#, "none", 404),
        ("activate", "{}", "shop", 400), ("activate", #"{"version": "9.9.9"}"#, "shop", 404),
        ("activate", #"{"version": "<b>"}"#, "shop", 400), ("rollback", #"{"version": "1.1.0"}"#, "shop", 400),
        ("rollback", "{}", "none", 404), ("pin", #"{"version": "9.9.9"}"#, "shop", 404),
        ("hold", "nonsense", "shop", 400),
        ("hold", "", "shop", 400), ("update", "{}", "shop", 400), ("check", "{}", "shop", 400),
        ("hold", #"{"x": "\#(String(repeating: "a", count: 2_000))"}"#, "shop", 400),
    ])
    func `says why something wasn't done`(_ action: String, _ content: String, _ name: String, _ status: Int)
        async throws
    {
        try await withShop { dashboard async throws in
            let response = try await dashboard.act(action, content, of: name)
            #expect(response.status == status)
            let problem = try RunningDashboard.json(response)
            #expect(
                problem["code"]?.string
                    == (status == 404 ? "notFound" : content.count > 1_000 ? "tooLarge" : "invalidArgument")
            )
            #expect(problem["message"]?.string?.isEmpty == false)
            #expect(try await dashboard.bundle()["active"]?.string == "1.1.0")
        }
    }

    @Test func `doesn't wait for another process that works on the bundle`() async throws {
        try await withStore { store in
            for version in ["1.0.0", "1.1.0"] { try store.installShop(version, script: version) }
            try await withDashboard(store) { dashboard async throws in
                let name = BundleName("shop")
                let lock = try StoreLock.take(store.layout, bundle: name, .exclusive, waits: false)
                let response = try await dashboard.act("rollback")
                #expect(response.status == 503)
                #expect(response["retry-after"] == "1")
                #expect(try RunningDashboard.json(response)["code"]?.string == "storeBusy")
                withExtendedLifetime(lock) {}
            }
        }
    }

    @Test func `leaves texts of bundles as they are, in JSON`() async throws {
        try await withStore { store in
            try store.install(
                #"{"name": "shop", "version": "1.0.0", "origins": []}"#,
                ["index.html": "x"]
            )
            let hostile = "</script><img src=x onerror=alert(1)>\u{202E}\"'"
            try store.record(
                UpdateEvent(.reported, BundleName("shop"), at: Date(), version: nil, detail: hostile)
            )
            try await withDashboard(store) { dashboard async throws in
                let response = try await dashboard.get("/api/state")
                #expect(response["content-type"] == "application/json")
                #expect(response["x-content-type-options"] == "nosniff")
                #expect(try await dashboard.state()["events"]?.array?.first?["detail"]?.string == hostile)
            }
        }
    }

    @Test func `tells of at most 200 bundles, 50 versions of each and 50 events`() async throws {
        try await withStore { store in
            for number in 1...51 {
                try store.install(
                    #"{"name": "a", "version": "\#(number)", "origins": []}"#,
                    ["index.html": "\(number)"]
                )
            }
            for number in 1...200 {
                try store.install(#"{"name": "b\#(number)", "version": "1", "origins": []}"#, ["index.html": "b"])
            }
            try await withDashboard(store) { dashboard async throws in
                let state = try await dashboard.state()
                #expect(state["server"]?["bundleCount"]?.integer == 201)
                #expect(state["bundles"]?.array?.count == 200)
                #expect(state["events"]?.array?.count == 50)
                #expect(state["bundles"]?.array?.first?["versions"]?.array?.count == 50)
                #expect(state["bundles"]?.array?.first?["versionCount"]?.integer == 51)
            }
        }
    }

    private func withShop(_ body: (RunningDashboard) async throws -> Void) async throws {
        try await withStore { store in
            for version in ["1.0.0", "1.1.0"] {
                try store.installShop(
                    version,
                    feed: "https://m.example.com/feed.json?secret",
                    script: "run(\(version))"
                )
            }
            try await withDashboard(store, body)
        }
    }
}
